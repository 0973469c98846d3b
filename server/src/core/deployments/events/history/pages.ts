import type { StoredEvent } from '../events-store.ts'
import type { History } from './history.ts'
import { shelf } from './shelf.ts'

/** Events as they are sent, written out once for all who read them. Never changed. */
export type Page = {
  bytes: Buffer
  /** The number of each event, and where in `bytes` it begins. */
  seqs: number[]
  starts: number[]
  /** The number of the last one. */
  last: number
}

/** How an event looks to those who follow; whoever sends it knows. */
export type Encode = (event: StoredEvent) => string

export function pageOf(events: StoredEvent[], encode: Encode): Page | undefined {
  const end = events.at(-1)
  if (!end) return undefined
  const starts: number[] = []
  let length = 0
  const texts = events.map((event) => {
    const text = encode(event)
    starts.push(length)
    length += Buffer.byteLength(text)
    return text
  })
  const seqs = events.map((event) => event.seq)
  return { bytes: Buffer.from(texts.join('')), seqs, starts, last: end.seq }
}

/** What a page has after `seen`. */
export function rest({ bytes, seqs, starts }: Page, seen: number): Buffer {
  const next = seqs.findIndex((seq) => seq > seen)
  return next <= 0 ? bytes : bytes.subarray(starts[next])
}

const STEP = 256
const MOST = { events: STEP, bytes: 64 * 1024 }
const SHELF_BYTES = 16 * 1024 * 1024
const READ_AT_ONCE = 8

/**
 * Pages of what is past. They end at every 256th event, so that readers who began anywhere soon read the same pages, and
 * however many there are, each page is read and written out once. A page is small: it is what a slow reader holds on to.
 */
export function pages(history: History, encode: Encode) {
  const full = shelf<Page | undefined>({
    mostBytes: SHELF_BYTES,
    atOnce: READ_AT_ONCE,
    sizeOf: (page) => (page?.bytes.length ?? 0) + 16 * (page?.seqs.length ?? 0),
    // What may still grow is not kept.
    keeps: (page) => page !== undefined && (page.last % STEP === 0 || page.bytes.length >= MOST.bytes),
  })
  return {
    after: (id: string, since: number): Promise<Page | undefined> =>
      full.take(`${id} ${since}`, async () =>
        pageOf(await history.after(id, since, { ...MOST, events: STEP - (since % STEP) }), encode),
      ),
  }
}
