import type { FastifyReply } from 'fastify'
import { mayGoOn, type Viewer } from '../core/deployments/events/viewers.ts'
import type { Platform } from '../core/platform.ts'
import type { Semaphore } from '../core/semaphore.ts'
import { Refusal } from '../errors.ts'
import { begin, type Kind, type Source, Stream } from './event-stream.ts'
import { line } from './limits/line.ts'

type Send = (reply: FastifyReply, source: Source, kind?: Kind) => Promise<void>

export type Streams = {
  /** What has to be found out before: however many viewers come at once, they do not crowd the database. */
  inLine: Semaphore
  /** Opens one for a viewer, unless that has too many open already. */
  open<T>(viewer: Viewer, opening: (send: Send) => Promise<T>): Promise<T>
}

const MOST_IN_LINE = 20_000
const HEARTBEAT_MS = 12_000
/** How long a stream may outlive what allowed it. */
const RECHECK_MS = 10_000
/** Without a database nobody can be asked; after this long nobody is taken at their word any more. */
const UNCONFIRMED_MS = 2 * 60_000
/** Of one person, with all their sessions and tokens: so many times what one of these may have. */
const CREDENTIALS_OF_A_PERSON = 5
/** One is served, the newest; those before it are about to end. */
const RELAYS_OF_A_LINK = 10

type Parts = Pick<Platform, 'pool' | 'db' | 'draining' | 'config' | 'log'>
type Open = { viewer: Viewer; stream: Stream; confirmedAt: number }

/**
 * All streams of this process. Quiet lines are kept alive; those whose viewers may not see them any more are ended,
 * asked for all of them at once; and on shutdown readers are told to come back, to another process.
 */
export function streams(parts: Parts): Streams {
  const open = new Set<Open>()
  const counts = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  const recheck = rechecker(parts, open)
  const beat = () => {
    for (const { stream } of open) stream.beat()
  }
  const start = () => {
    if (timers.size > 0) return
    timers.add(setInterval(beat, HEARTBEAT_MS).unref()).add(setInterval(recheck, RECHECK_MS).unref())
  }
  const stop = () => {
    for (const timer of timers) clearInterval(timer)
    timers.clear()
  }
  parts.draining.addEventListener('abort', () => {
    for (const { stream } of open) stream.leave()
  })
  const send = async (viewer: Viewer, reply: FastifyReply, source: Source, kind: Kind) => {
    const one = { viewer, stream: new Stream(begin(reply, kind), kind), confirmedAt: Date.now() }
    open.add(one)
    start()
    if (parts.draining.aborted) one.stream.leave()
    try {
      await one.stream.pass(source)
    } finally {
      open.delete(one)
      if (open.size === 0) stop()
    }
  }
  return {
    inLine: line(8, MOST_IN_LINE),
    async open(viewer, opening) {
      const release = admit(counts, limitsOf(viewer, parts.config))
      try {
        return await opening((reply, source, kind = 'events') => send(viewer, reply, source, kind))
      } finally {
        release()
      }
    },
  }
}

type Limit = { key: string; most: number; whose: string; hint: string }

/**
 * Of a link there is everybody's who looks from the instance, which is nothing of its approver's own; and beside them the one on which it
 * hears of pushes, so that however many look, that one comes through.
 */
function limitsOf({ caller, target }: Viewer, { streamsPerToken, perLink }: Platform['config']): Limit[] {
  const { credentialId, userId } = caller
  if ('link' in target)
    return [{ key: `relay of ${credentialId}`, most: RELAYS_OF_A_LINK, whose: 'relay of this link', hint: CLOSE }]
  if (caller.ofLink) return [{ key: credentialId, most: perLink.streams, whose: 'link', hint: OF_ALL }]
  return [
    {
      key: credentialId,
      most: streamsPerToken,
      whose: caller.kind === 'token' ? 'access token' : 'session',
      hint: CLOSE,
    },
    { key: userId, most: streamsPerToken * CREDENTIALS_OF_A_PERSON, whose: 'person', hint: CLOSE },
  ]
}

const CLOSE = 'Close some of them, or use another credential for another program.'
const OF_ALL = 'Everybody who looks from the linked instance shares them: some have to be closed there.'

/** Counts a stream; returns how to take that back. */
function admit(counts: Map<string, number>, limits: Limit[]): () => void {
  const full = limits.find(({ key, most }) => (counts.get(key) ?? 0) >= most)
  if (full) {
    throw new Refusal(
      'rate_limited',
      `This ${full.whose} has ${full.most} streams open, which is the most there may be.`,
      {
        retryAfter: 10,
        hint: full.hint,
      },
    )
  }
  for (const { key } of limits) counts.set(key, (counts.get(key) ?? 0) + 1)
  return () => {
    for (const { key } of limits) {
      const left = (counts.get(key) ?? 1) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    }
  }
}

/** Asks for everyone who watches, now and then and one round at a time, whether they still may. */
function rechecker(parts: Parts, open: Set<Open>): () => Promise<void> {
  let running = false
  return async () => {
    if (running) return
    running = true
    const all = [...open]
    try {
      const allowed = await mayGoOn(
        parts,
        all.map(({ viewer }) => viewer),
      )
      const now = Date.now()
      for (const one of all) {
        if (allowed.has(one.viewer)) one.confirmedAt = now
        else one.stream.deny()
      }
    } catch (error) {
      parts.log.warn({ err: error }, 'those who follow a stream could not be asked again whether they may')
      for (const one of all) if (Date.now() - one.confirmedAt > UNCONFIRMED_MS) one.stream.deny()
    } finally {
      running = false
    }
  }
}
