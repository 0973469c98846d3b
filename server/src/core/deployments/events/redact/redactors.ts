import type { Redactor } from '../redact.ts'

const MOST = 200
const MOST_BYTES = 32 * 1024 * 1024
const IDLE_MS = 10 * 60_000

/** Those in use, by what they know. They hold secrets: few, of a bounded size, and none for long after its last use. */
export type Redactors = { get(key: string, make: () => Promise<Redactor>): Promise<Redactor> }

type Entry = { redact: Promise<Redactor>; bytes: number; usedAt: number }

export function redactors({ most = MOST, mostBytes = MOST_BYTES, idleMs = IDLE_MS } = {}): Redactors {
  /** The one that was used last comes last. */
  const entries = new Map<string, Entry>()
  let bytes = 0
  const drop = (key: string, entry: Entry) => {
    if (entries.get(key) !== entry) return
    entries.delete(key)
    bytes -= entry.bytes
  }
  const trim = () => {
    for (const [key, entry] of entries) {
      const idle = performance.now() - entry.usedAt > idleMs
      if (!idle && entries.size <= most && bytes <= mostBytes) return
      drop(key, entry)
    }
  }
  const make = (key: string, redact: Promise<Redactor>): Entry => {
    const entry = { redact, bytes: 0, usedAt: 0 }
    redact.then(
      (made) => {
        if (entries.get(key) !== entry) return
        entry.bytes = made.bytes
        bytes += made.bytes
        trim()
      },
      () => drop(key, entry),
    )
    return entry
  }
  return {
    get(key, work) {
      const entry = entries.get(key) ?? make(key, work())
      // Put at the end: the first are those not used for longest.
      entries.delete(key)
      entries.set(key, entry)
      entry.usedAt = performance.now()
      trim()
      return entry.redact
    },
  }
}
