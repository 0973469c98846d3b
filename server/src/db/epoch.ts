import { type Asked, type DatabaseIdentity, type HistoryChange, historyChange, readIdentity } from './identity.ts'

/**
 * The epoch of this process: which database it works on, and which history of it. What it holds (runs, leases, calls) was
 * given to it in one epoch and is worth nothing in another, where somebody else may have been given the same.
 */
export type Epoch = {
  /** Grows with every change: what was begun under another number is over. */
  readonly number: number
  /** From here on changes are noticed. */
  begin(now: DatabaseIdentity): void
  /** For every new connection, before its first use: a failover ends all of the old ones. Rejects for another database. */
  look(asked: Asked): Promise<DatabaseIdentity>
  onChange(listener: (change: HistoryChange) => void): void
}

export function openEpoch(): Epoch {
  const listeners = new Set<(change: HistoryChange) => void>()
  let known: DatabaseIdentity | undefined
  let number = 0
  const look = async (asked: Asked): Promise<DatabaseIdentity> => {
    // Compared with what was known before it was asked: answers may overtake each other, and the log grows meanwhile.
    const before = known
    const begun = number
    const now = await readIdentity(asked).catch(explainReplica)
    if (before === undefined) return now
    if (number !== begun) return look(asked)
    const change = historyChange(before, now)
    if (change === 'another history' || (change === null && isLater(now, known))) known = now
    if (change === null) return now
    number += 1
    for (const listener of listeners) listener(change)
    if (change === 'another database') throw notYet('Another database answers at the address of ours.')
    return now
  }
  return {
    get number() {
      return number
    },
    begin(now) {
      known = now
    },
    look,
    onChange: (listener) => void listeners.add(listener),
  }
}

const isLater = (now: DatabaseIdentity, known: DatabaseIdentity | undefined) =>
  now.flushed !== null && now.flushed > (known?.flushed ?? 0n)

/** In the middle of a failover: no database yet, and soon one. */
function explainReplica(error: Error & { code?: string }): never {
  if (error.code !== '55000') throw error
  throw notYet('The database is a replica that was not promoted yet.', error)
}

/** To its user it is a database that cannot be used now, as PostgreSQL would say it. */
const notYet = (words: string, cause?: unknown) => Object.assign(new Error(words, { cause }), { code: '57P03' })
