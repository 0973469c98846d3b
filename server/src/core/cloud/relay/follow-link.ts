import { setTimeout as sleep } from 'node:timers/promises'
import type { Answered, Streamed } from '../../../drivers/cloud-forward/passage.ts'
import { databaseOutage, isFailure } from '../../../errors.ts'
import { HOPS_HEADER } from '../forward.ts'
import { placeOf } from '../link-store.ts'
import { isOwnWord } from '../own-word.ts'
import type { RelayParts } from './parts.ts'
import { readEvents, type SentEvent } from './read-events.ts'
import * as store from './relay-store.ts'
import { OutOfOrder, take } from './take.ts'

const BACKOFF_MS = { first: 200, most: 30_000 }
/** The cloud says something every twelve seconds. */
const SILENT_MS = 40_000
/** One that ended sooner, and had nothing to say, was none. */
const LASTING_MS = 5000

type Ended = 'refused' | 'not ours' | 'broken'

/** Follows one link for as long as it is this process's: a break is a reconnect with the last number, after a backoff with jitter. */
export async function followLink(parts: RelayParts, link: store.Followed, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const began = performance.now()
    const { ended, took } = await once(parts, link, signal).catch((error) => noted(parts, link, error, signal))
    if (ended === 'not ours' || signal.aborted) return
    await store.note(parts.db, link, ended === 'refused' ? 'refused' : 'waiting').catch(() => {})
    if (ended === 'refused') return store.leaveRefused(parts.db, link).catch(() => {})
    if (took || performance.now() - began > LASTING_MS) failures = 0
    const ms = Math.min(BACKOFF_MS.first * 2 ** failures, BACKOFF_MS.most)
    await sleep(ms * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
}

type Connection = { ended: Ended; took: boolean }

function noted({ log }: RelayParts, { linkId, url }: store.Followed, error: unknown, signal: AbortSignal): Connection {
  if (signal.aborted) return { ended: 'not ours', took: false }
  const isUsual = isFailure(error, 'cloud') || error instanceof OutOfOrder || databaseOutage(error as Error)
  const reason = (error as Error).message
  if (isUsual) log.info({ reason, linkId, cloud: url }, 'what the cloud relays is asked for again')
  else log.error({ err: error, linkId, cloud: url }, 'what the cloud relays could not be taken; it is tried again')
  return { ended: 'broken', took: false }
}

async function once(parts: RelayParts, link: store.Followed, signal: AbortSignal): Promise<Connection> {
  const seen = await store.seenOf(parts.db, link)
  if (seen === null) return { ended: 'not ours', took: false }
  const silent = new AbortController()
  const timer = setTimeout(
    () => silent.abort(new Error('The cloud said nothing for too long.')),
    parts.silentMs ?? SILENT_MS,
  )
  try {
    const answer = await connect(parts, link, seen, AbortSignal.any([signal, silent.signal]))
    if (!('chunks' in answer)) return { ended: isRefusal(answer) ? 'refused' : 'broken', took: false }
    await store.note(parts.db, link, 'following')
    return {
      ended: 'broken',
      took: await read(parts, link, seen.number, { answer, signal, alive: () => timer.refresh() }),
    }
  } finally {
    clearTimeout(timer)
  }
}

function connect({ keys, cloudPassage }: RelayParts, link: store.Followed, seen: store.Cursor, signal: AbortSignal) {
  const headers = {
    accept: 'text/event-stream',
    authorization: `Bearer ${keys.open(link.credential, placeOf(link.orgId))}`,
    'accept-encoding': 'identity',
    [HOPS_HEADER]: '1',
  }
  const mark = seen.mark === null ? '' : `&mark=${seen.mark}`
  const call = { method: 'GET', path: `/api/relay/stream?after=${seen.number}${mark}`, headers, body: null }
  const streams = (type: string) => type.startsWith('text/event-stream')
  return cloudPassage.pass(link.url, call, { signal, streams, whose: link.orgId })
}

const isRefusal = (answer: Answered) => (answer.status === 401 || answer.status === 403) && isOwnWord(answer)

/** Whether anything was taken. Whoever is replaced by a newer stream comes back later, if it still holds the link. */
async function read(
  parts: RelayParts,
  link: store.Followed,
  from: number,
  { answer, signal, alive }: { answer: Streamed; signal: AbortSignal; alive(): void },
): Promise<boolean> {
  let seen = from
  try {
    for await (const events of readEvents(answer.chunks)) {
      alive()
      seen = await take(parts, link, seen, events)
      if (events.some(isLast)) break
    }
  } catch (error) {
    noted(parts, link, error, signal)
  } finally {
    answer.drop()
  }
  return seen > from
}

const isLast = ({ event }: SentEvent) => event === 'replaced'
