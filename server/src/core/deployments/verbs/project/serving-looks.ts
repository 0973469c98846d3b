import { DriverFailure } from '../../../../errors.ts'

/** What an engine had of one deployment's form of a service when it was asked. */
export type SeenService = {
  service: string
  deployment: string | null
  replicas: { wanted: number; running: number; healthy: number }
  since: string | null
}
type Look = { at: string; services: SeenService[] }
/** `reason`: why it could not be asked; `seen` is then what it said last, if it ever did. */
type Looked = { seen: Look | null; reason: string | null }

/** Single flight: one question to an engine for all who want to know of a project. In memory, so what was seen may be lost. */
export type ServingLooks = {
  look(key: string, ask: (signal: AbortSignal) => Promise<SeenService[]>): Promise<Looked>
}
type Entry = { asked: Promise<Looked> | null; last: Look | null }

const DEADLINE_MS = 10_000
/** Who comes so much later gets the same answer. */
const FRESH_MS = 2000
const MOST_KEPT = 2000

export function servingLooks(draining: AbortSignal): ServingLooks {
  const known = new Map<string, Entry>()
  return {
    look(key, ask) {
      const entry = known.get(key) ?? { asked: null, last: null }
      known.delete(key)
      known.set(key, entry)
      const oldest = known.keys().next().value
      if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest)
      // Nobody who leaves ends it for the others: it has a deadline of its own.
      entry.asked ??= lookOnce(entry, ask, AbortSignal.any([draining, AbortSignal.timeout(DEADLINE_MS)]))
      return entry.asked
    },
  }
}

async function lookOnce(
  entry: Entry,
  ask: (signal: AbortSignal) => Promise<SeenService[]>,
  signal: AbortSignal,
): Promise<Looked> {
  const at = new Date().toISOString()
  try {
    entry.last = { at, services: await ask(signal) }
    return { seen: entry.last, reason: null }
  } catch (error) {
    if (error instanceof DriverFailure) return { seen: entry.last, reason: error.message }
    if (signal.aborted) return { seen: entry.last, reason: 'The engine did not answer in time.' }
    throw error
  } finally {
    setTimeout(() => {
      entry.asked = null
    }, FRESH_MS).unref()
  }
}
