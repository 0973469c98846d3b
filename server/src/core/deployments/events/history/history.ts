import type { Database } from '../../../../db/database.ts'
import type { Archive } from '../../../../drivers/archive/archive.ts'
import { read, type StoredEvent } from '../events-store.ts'
import { eventIn, type Unpacked, unpack } from './segment-file.ts'
import { findSegment, type Segment } from './segments-store.ts'
import { shelf } from './shelf.ts'

/**
 * Everything that happened in a deployment, wherever it lies by now. What is gone for good is one `gap` event with the
 * number of the last one that it stands for: numbers stay in order, and whoever has seen it goes on behind it.
 */
export type History = {
  /** The next events after `since`, at least one if there is any. `events` and `bytes` bound how many. */
  after(id: string, since: number, most: Most): Promise<StoredEvent[]>
}
type Most = { events: number; bytes: number }

const SHELF_BYTES = 24 * 1024 * 1024
/** However many read old logs at once, no more than this is being unpacked. */
const OPENED_AT_ONCE = 4

export function history({ db, archive }: { db: Database; archive: Archive }): History {
  const opened = shelf<Unpacked | null>({
    mostBytes: SHELF_BYTES,
    atOnce: OPENED_AT_ONCE,
    sizeOf: (unpacked) => (unpacked?.text.length ?? 0) + (unpacked?.starts.byteLength ?? 0),
    keeps: (unpacked) => unpacked !== null,
  })
  const open = async ({ first, last, location }: Segment): Promise<Unpacked | null> => {
    if (location === null) return null
    return opened.take(location, async () => {
      const bytes = await archive.get(location)
      return bytes && unpack(bytes, first, last - first + 1)
    })
  }
  return {
    async after(id, since, most) {
      // The table first: what moves away meanwhile is in a segment by the time we look there.
      const hot = await read(db, id, since, most.events)
      const [next] = hot
      if (next?.seq === since + 1) return bounded(hot, most.bytes)
      const segment = await findSegment(db, id, since)
      const here = Math.min(segment?.first ?? Infinity, next?.seq ?? Infinity)
      if (here === Infinity) return []
      if (here > since + 1) return [gap(since + 1, here - 1, segment?.lastAt ?? next?.at ?? new Date(0))]
      if (!segment) return []
      const unpacked = await open(segment)
      if (!unpacked) return [gap(since + 1, segment.last, segment.lastAt)]
      return slice(unpacked, since + 1, Math.min(segment.last, since + most.events), most.bytes)
    },
  }
}

const gap = (from: number, to: number, at: Date): StoredEvent => ({
  seq: to,
  at,
  type: 'gap',
  json: JSON.stringify({ from, to }),
})

function bounded(events: StoredEvent[], mostBytes: number): StoredEvent[] {
  let bytes = 0
  const end = events.findIndex((event) => {
    bytes += event.json.length
    return bytes > mostBytes
  })
  return end < 0 ? events : events.slice(0, Math.max(1, end))
}

function slice(unpacked: Unpacked, from: number, to: number, mostBytes: number): StoredEvent[] {
  const events: StoredEvent[] = []
  for (let seq = from, bytes = 0; seq <= to && bytes <= mostBytes; seq++) {
    const event = eventIn(unpacked, seq)
    bytes += event.json.length
    events.push(event)
  }
  return events
}
