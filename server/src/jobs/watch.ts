import { type Database, transaction } from '../db/database.ts'
import { isOurs } from './fenced.ts'
import { passOnAll } from './limit.ts'
import type { Log } from './log.ts'
import type { Ownership } from './ownership.ts'
import { isOutage, repeat } from './patience.ts'
import { LeaseLost } from './steps.ts'
import { endRests, isYoung, ownership, runnableLanes, type Versions } from './store.ts'
import { HEARTBEAT_SECONDS, type Transport } from './transport.ts'

const LOOK_MS = 1000
const GAP_MS = 5000
const REAP_MS = 5000
const MOST_LANES = 500
const MOST_RESTED = 50

type Watched = {
  db: Database
  transport: Transport
  kinds: string[]
  versions: Versions
  runs: Set<Ownership>
  log: Log
  signal: AbortSignal
}

/**
 * Once a second: a cancel or takeover whose signal was missed, then the search for silent workers. After an outage or a
 * pause every heartbeat is old, so nobody is declared dead until the living have had the time to renew theirs.
 */
export async function watch({ db, transport, runs, log, signal }: Watched): Promise<void> {
  let quietUntil = 0
  let restedAt = performance.now()
  const keepQuiet = () => {
    quietUntil = performance.now() + HEARTBEAT_SECONDS * 1000
  }
  /** A pause shows as a timer that is late, or as a question that was answered late. A slow search is none. */
  const keepQuietAfter = (since: number) => {
    const gapMs = Math.round(performance.now() - since)
    if (gapMs < GAP_MS) return
    log.info({ gapMs }, 'this process was held up; for a while it declares nobody dead')
    keepQuiet()
  }
  await repeat(LOOK_MS, signal, async () => {
    keepQuietAfter(restedAt)
    const asked = performance.now()
    try {
      await checkOwnership(db, runs)
      if (await isYoung(db, HEARTBEAT_SECONDS)) keepQuiet()
      keepQuietAfter(asked)
      if (performance.now() > quietUntil) await transport.supervise()
    } catch (error) {
      keepQuiet()
      if (!isOutage(error)) log.error({ err: error }, 'runs could not be watched')
    } finally {
      restedAt = performance.now()
    }
  })
}

async function checkOwnership(db: Database, runs: Set<Ownership>): Promise<void> {
  const watched = [...runs]
  if (watched.length === 0) return
  const ids = watched.map((run) => run.id)
  const rows = new Map((await ownership(db, ids)).map((row) => [row.id, row]))
  for (const run of watched) {
    const now = rows.get(run.id)
    if (!isOurs(run, now)) run.stop(new LeaseLost())
    else if (now.cancel) run.cancel()
  }
}

/** Whose rest is over, or whose place is free, is called. Every worker looks; each run is found by one of them. */
export async function wakeRested({ db, transport, log, signal }: Watched): Promise<void> {
  let passedOn = performance.now()
  await repeat(LOOK_MS, signal, async () => {
    try {
      await transaction(db, async (tx) => {
        for (const lane of await endRests(tx, MOST_RESTED)) await transport.wake(tx, lane)
      })
      if (performance.now() - passedOn < REAP_MS) return
      passedOn = performance.now()
      await passOnAll(db, transport, MOST_LANES)
    } catch (error) {
      if (!isOutage(error)) log.error({ err: error }, 'runs that rested could not be woken')
    }
  })
}

/** Wakes lanes that could run and have no call. */
export async function reap({ db, transport, kinds, versions, log, signal }: Watched): Promise<void> {
  await repeat(REAP_MS, signal, async () => {
    try {
      let last: string | undefined = ''
      while (last !== undefined && !signal.aborted) {
        const lanes: string[] = await runnableLanes(db, kinds, last, MOST_LANES, versions)
        for (const lane of lanes.length > 0 ? await transport.missing(lanes) : []) {
          log.warn({ lane }, 'a run had lost its call')
          await transaction(db, (tx) => transport.wake(tx, lane))
        }
        last = lanes.length === MOST_LANES ? lanes.at(-1) : undefined
      }
    } catch (error) {
      if (!isOutage(error)) log.error({ err: error }, 'lost calls could not be looked for')
    }
  })
}
