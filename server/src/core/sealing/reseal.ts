import { setTimeout as pause } from 'node:timers/promises'
import type { BaseParts } from '../parts.ts'
import { SEALED_COLUMNS, type SealedColumn } from './columns.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>

/** Rows looked at in one go; a release may have a hundred kilobytes. */
const PAGE = 500
/** Values sealed in one go. */
const BREATH = 10
const DEADLOCK = '40P01'
const TRIES = 5

export type Resealed = {
  /** Values that were sealed anew. */
  done: number
  /** Where values lie that could not be opened: their key is gone, or somebody changed them. */
  unreadable: string[]
}
export type Progress = (column: string, done: number) => void

/**
 * Seals everything anew that another key than the first one has sealed, while all of it is used: a value is replaced
 * only as it was read. What was done stays done when this is cut off; run again, it passes by that.
 */
export async function resealAll(parts: Parts, signal: AbortSignal, progress: Progress = () => {}): Promise<Resealed> {
  const total: Resealed = { done: 0, unreadable: [] }
  for (const column of SEALED_COLUMNS) {
    const { done, unreadable } = await resealColumn(parts, column, signal)
    total.done += done
    total.unreadable.push(...unreadable)
    if (done > 0) progress(titleOf(column), done)
  }
  return total
}

const titleOf = ({ table, column, member }: SealedColumn) => [table, column, member].filter(Boolean).join('.')

async function resealColumn(parts: Parts, column: SealedColumn, signal: AbortSignal): Promise<Resealed> {
  const found: Resealed = { done: 0, unreadable: [] }
  const beginning = beginningOf(parts.keys)
  let after: string[] | null = null
  for (;;) {
    signal.throwIfAborted()
    const rows: store.Row[] = await store.page(parts.db, column, beginning, after, PAGE)
    const changes: store.Change[] = []
    for (const [n, row] of rows.entries()) {
      if (row.value === null) continue
      const change = resealed(parts.keys, column, row.key, row.value)
      if (change === null) found.unreadable.push(`${titleOf(column)} of ${row.key.join('/')}`)
      else changes.push(change)
      // A process that answers requests meanwhile gets its turns.
      if (n % BREATH === 0) await new Promise(setImmediate)
    }
    if (changes.length > 0) await withoutDeadlock(() => store.swap(parts.db, column, changes), signal)
    found.done += changes.length
    after = rows.at(-1)?.key ?? null
    if (rows.length < PAGE) return found
  }
}

/** How a value begins that the first key sealed. */
const beginningOf = (keys: BaseParts['keys']) => keys.seal('', '').split('.').slice(0, 2).concat('').join('.')

/** null: it cannot be opened. */
function resealed(keys: BaseParts['keys'], column: SealedColumn, key: string[], value: string): store.Change | null {
  const place = column.place(...key)
  try {
    return { key, before: value, after: keys.seal(keys.open(value, place), place) }
  } catch {
    return null
  }
}

/** Others lock the same rows in an order of their own. */
async function withoutDeadlock(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK || tries === TRIES) throw error
      await pause(Math.random() * 200, undefined, { signal })
    }
  }
}
