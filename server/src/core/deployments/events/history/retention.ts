import { randomBytes } from 'node:crypto'
import { type Tx, transaction } from '../../../../db/database.ts'
import type { Instance } from '../../../instance/guard.ts'
import type { BaseParts } from '../../../parts.ts'
import { read, type StoredEvent } from '../events-store.ts'
import { MOST_BYTES, MOST_EVENTS, pack } from './segment-file.ts'
import * as store from './segments-store.ts'

type Parts = Pick<BaseParts, 'db' | 'archive' | 'config'> & { instance: Instance }
type MoveParts = Omit<Parts, 'instance'>

const HOUR_MS = 3600_000
const DEPLOYMENTS = 50
const MOST_FAILURES = 5
const READ_AT_ONCE = 1000

/**
 * Moves the logs of deployments that ended a while ago from the table to the archive. For every few minutes, in any number
 * of processes at once. What one cannot move stays readable where it is, and does not keep the others from moving.
 */
export async function moveLogs(parts: MoveParts, signal?: AbortSignal): Promise<number> {
  const failures: unknown[] = []
  let moved = 0
  for (let after = new Date(0); !signal?.aborted; ) {
    const due = await store.findToMove(parts.db, parts.config.logs.moveAfterMs, after, DEPLOYMENTS)
    for (const deployment of due) {
      moved += await moveAll(parts, deployment, signal).catch((error) => {
        if (!wasDeleted(error)) failures.push(error)
        return 0
      })
      if (failures.length === MOST_FAILURES) throw failures[0]
    }
    const last = due.at(-1)
    if (due.length < DEPLOYMENTS || !last) break
    // Always onward, also past those that others are busy with.
    after = new Date(Math.max(last.finishedAt.getTime(), after.getTime() + 1))
  }
  if (failures.length > 0) throw failures[0]
  return moved
}

/** The row that the segment was to belong to. */
const wasDeleted = (error: { code?: string }) => error.code === '23503'

async function moveAll(parts: MoveParts, deployment: store.Finished, signal?: AbortSignal): Promise<number> {
  for (let moved = 0; ; moved++) if (signal?.aborted || !(await moveSegment(parts, deployment))) return moved
}

/**
 * First the archive, then row and events in one transaction: whatever stops us in between leaves an object that no row
 * names, and `sweepArchive` finds it. It is not removed here, because a commit whose answer got lost may have happened.
 */
async function moveSegment(
  { db, archive, config }: MoveParts,
  { id, orgId, finishedAt }: store.Finished,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    if (!(await store.lock(tx, id))) return false
    const events = await oldest(tx, id)
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) {
      await store.markMoved(tx, id)
      return false
    }
    const key = `${orgId}/${id.slice(-2)}/${id}/${first.seq}-${last.seq}.${randomBytes(8).toString('hex')}.zst`
    await archive.put(key, await pack(events))
    const keepUntil = new Date(finishedAt.getTime() + config.logs.keepMs)
    await store.replaceEvents(tx, { id, first: first.seq, last: last.seq, lastAt: last.at, key, keepUntil })
    return true
  })
}

/** As many of its events as a segment takes, up to the last line that was printed. How it ended stays in the table. */
async function oldest(tx: Tx, id: string): Promise<StoredEvent[]> {
  const end = await store.lastLine(tx, id)
  const events: StoredEvent[] = []
  for (let bytes = 0; end !== undefined && bytes < MOST_BYTES; ) {
    const since = events.at(-1)?.seq ?? 0
    const more = await read(tx, id, since, Math.min(READ_AT_ONCE, MOST_EVENTS - events.length))
    for (const event of more) {
      if (event.seq > end || bytes >= MOST_BYTES) return events
      bytes += event.json.length
      events.push(event)
    }
    if (more.length === 0 || events.length === MOST_EVENTS) break
  }
  return events
}

/** Gives up what was kept long enough. Rows go before objects, as in every sweep. */
export async function expireLogs({ db, archive, instance }: Parts, signal?: AbortSignal): Promise<number> {
  let gone = 0
  while (!signal?.aborted && (await instance.isWhole())) {
    const { keys, looked } = await store.giveUp(db, DEPLOYMENTS)
    for (const key of keys) await archive.remove(key)
    gone += keys.length
    if (looked < DEPLOYMENTS) break
  }
  return gone
}

/** Removes what no segment names: of deleted deployments, and of moves that were cut off. For a few times a day. */
export async function sweepArchive({ db, archive, instance }: Parts, signal?: AbortSignal): Promise<number> {
  let removed = 0
  if (!(await instance.mayCollect())) return 0
  for await (const keys of archive.listOlderThan(HOUR_MS)) {
    if (signal?.aborted || !(await instance.mayCollect())) break
    const known = await store.knownKeys(db, keys)
    for (const key of keys.filter((one) => !known.has(one))) {
      await archive.remove(key)
      removed += 1
    }
  }
  return removed
}
