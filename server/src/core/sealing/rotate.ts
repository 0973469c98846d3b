import { setTimeout as pause } from 'node:timers/promises'
import type { BaseParts } from '../parts.ts'
import { HEARTBEAT_MS } from './keys-in-use.ts'
import { type Progress, type Resealed, resealAll } from './reseal.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>

/** After this, whoever has not said again that he seals with a key does not. */
const QUIET_SECONDS = (3 * HEARTBEAT_MS) / 1000

const MOST_PASSES = 10

/** Marks all keys but the first one: from now on, until it is done, every worker sees to it as well. */
export const beginRotation = ({ db, keys }: Parts) => store.retireOthers(db, keys.ids[0] ?? '')

type Rotation = Resealed & {
  /** Keys that nothing is sealed with any more. */
  gone: string[]
  /** Keys that a process still seals with. */
  used: string[]
}

/**
 * One pass over everything. A key goes when nobody sealed with it since before the pass began, and nothing is left that it
 * would be needed for.
 */
export async function rotateOnce(parts: Parts, signal: AbortSignal, progress?: Progress): Promise<Rotation> {
  const before = await retiring(parts)
  const quiet = before.filter(({ quietSeconds }) => quietSeconds > QUIET_SECONDS).map(({ id }) => id)
  const resealed = await resealAll(parts, signal, progress)
  const free = resealed.unreadable.length === 0 ? quiet : []
  const gone = free.length === 0 ? [] : await store.forget(parts.db, free, QUIET_SECONDS)
  const used = before.map(({ id }) => id).filter((id) => !quiet.includes(id))
  return { ...resealed, gone, used }
}

async function retiring({ db, keys }: Parts) {
  const all = await store.all(db)
  return all.filter(({ id, retiringSince }) => retiringSince !== null && id !== keys.ids[0])
}

/** Until every old key is gone, or until it is clear that one cannot go. Workers may be at it, too. */
export async function rotate(parts: Parts, signal: AbortSignal, tell: (words: string) => void): Promise<Rotation> {
  await beginRotation(parts)
  const wanted = (await retiring(parts)).map(({ id }) => id)
  let done = 0
  for (let passes = 1; ; passes++) {
    const pass = await rotateOnce(parts, signal, (column, count) => tell(`${column}: ${count} sealed anew`))
    done += pass.done
    const left = (await retiring(parts)).map(({ id }) => id)
    if (left.length === 0 || pass.unreadable.length > 0 || passes === MOST_PASSES) {
      return { done, unreadable: pass.unreadable, gone: wanted.filter((id) => !left.includes(id)), used: left }
    }
    tell(`waiting until no process seals with ${left.join(', ')} any more`)
    await pause(HEARTBEAT_MS, undefined, { signal })
    // A process that starts with an old key in front takes it back that this one is to go.
    await beginRotation(parts)
  }
}

/** By a worker: goes on with what an operator has begun. */
export async function continueRotation(parts: Parts, signal: AbortSignal): Promise<void> {
  if ((await retiring(parts)).length > 0) await rotateOnce(parts, signal)
}
