import type { Database } from '../../db/database.ts'
import { type Actor, record } from './record.ts'

/** Something that was refused: to a caller, or to somebody who claimed to be a person. */
type Denial = {
  action: string
  target: string | null
  detail: Record<string, unknown>
} & ({ by: Exclude<Actor, { kind: 'system' }> } | { claimed: string; address: string; requestId: string })

/**
 * Refusals come by the thousands when somebody tries, and an audit log that grows with them is a weapon. The first of a
 * kind is written within seconds; what follows in the same minute becomes one entry that says how often. Noted in memory:
 * a process that is killed may lose the last seconds.
 */
export type Denials = { note(denial: Denial): void; flush(now?: number): Promise<void> }

const WINDOW_MS = 60_000
/** Kinds of refusals in a minute: of one person or credential, and of all in this process. */
const MOST_OF_ONE = 20
const MOST = 5000
/** A person who belongs to more organizations than this is told of in the oldest. */
const MOST_ORGANIZATIONS = 20

type Entry = { denial: Denial; group: string; since: number; times: number; written: number }

/** The oldest organizations of a person, at most so many. */
type MembershipsOf = (db: Database, userId: string, most: number) => Promise<string[]>

export function denials(db: Database, membershipsOf: MembershipsOf): Denials {
  const open = new Map<string, Entry>()
  const kinds = new Map<string, number>()
  const add = (key: string, entry: Omit<Entry, 'times' | 'written'>) => {
    open.set(key, { ...entry, times: 1, written: 0 })
    kinds.set(entry.group, (kinds.get(entry.group) ?? 0) + 1)
  }
  const close = (key: string, { group }: Entry) => {
    open.delete(key)
    const left = (kinds.get(group) ?? 1) - 1
    if (left > 0) kinds.set(group, left)
    else kinds.delete(group)
  }
  return {
    note(denial) {
      const group = groupOf(denial)
      const exact = `${group} ${denial.action} ${denial.target} ${addressOf(denial)}`
      // Whoever tries everything, or from everywhere, gets one entry for the rest.
      const key = open.has(exact) || (kinds.get(group) ?? 0) < MOST_OF_ONE ? exact : `${group} and more`
      const known = open.get(key)
      if (known) known.times++
      else if (open.size < MOST) add(key, { denial, group, since: Date.now() })
    },
    async flush(now = Date.now()) {
      for (const [key, entry] of open) {
        const isOver = now - entry.since >= WINDOW_MS
        const times = entry.times - entry.written
        if (times > 0 && (entry.written === 0 || isOver)) {
          await write(db, membershipsOf, entry.denial, times)
          entry.written += times
        }
        if (isOver) close(key, entry)
      }
    },
  }
}

const groupOf = (denial: Denial) => ('by' in denial ? denial.by.credentialId : denial.claimed)
const addressOf = (denial: Denial) => ('by' in denial ? denial.by.address : denial.address)

async function write(db: Database, membershipsOf: MembershipsOf, denial: Denial, times: number): Promise<void> {
  const { action, target } = denial
  const detail = { ...denial.detail, ...(times > 1 && { times }) }
  if ('by' in denial) return record(db, denial.by, action, target, detail)
  const { claimed, address, requestId } = denial
  for (const orgId of await membershipsOf(db, claimed, MOST_ORGANIZATIONS)) {
    await record(db, { kind: 'system', name: 'sign-in', orgId, address, requestId }, action, target, detail)
  }
}
