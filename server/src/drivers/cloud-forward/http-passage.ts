import { Agent as PlainAgent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { getCACertificates } from 'node:tls'
import { isFailure } from '../../errors.ts'
import { guardedLookup, type MayConnect, refuseAddress } from '../ssh/lookup.ts'
import { type Breaker, breaker } from './breaker.ts'
import { type Lanes, lanes } from './lanes.ts'
import {
  type Answered,
  type CloudFailure,
  type CloudPassage,
  cloudFailure,
  type Deadlines,
  type Passed,
  type PassOptions,
} from './passage.ts'
import { readWhole, streamOf } from './read-answer.ts'
import { type Agents, type Asking, askingAt, send } from './send.ts'

export type PassageOptions = {
  /** SSRF guard: asked with the resolved address at each connection; the second one for what goes without TLS. */
  mayConnect: MayConnect
  mayConnectPlain: MayConnect
  /** Authorities beside those that this machine knows. */
  extraRoots(): Promise<string[]>
  /** Told when a cloud goes away, and when it is back. */
  told(cloud: string, state: 'open' | 'closed'): void
  probeEveryMs?: number
  deadlines?: Partial<Deadlines>
}

/** The cloud sends something on its streams every few seconds. */
const DEADLINES: Deadlines = { connect: 2000, firstByte: 10_000, stall: 10_000, whole: 60_000, idle: 60_000 }
/** Whoever has not been asked for this long is forgotten, with its connections. */
const UNUSED_MS = 30 * 60_000

type Cloud = { breaker: Breaker; opened: Promise<Asking>; lanes: Lanes; usedAt: number }

/**
 * The way to hosted clouds: a bulkhead (`lanes.ts`) and a circuit breaker per cloud, so that one that hangs costs nobody here anything, and
 * of those who ask it none the others. Redirects are not followed: whoever is led elsewhere takes the credential along.
 */
export function httpPassage(options: PassageOptions): CloudPassage {
  const clouds = new Map<string, Cloud>()
  const cloudAt = (url: string) => {
    const known = clouds.get(url)
    const cloud = known ?? openCloud(url, options)
    cloud.usedAt = Date.now()
    if (known) return known
    dropUnused(clouds)
    clouds.set(url, cloud)
    // Said to whoever asks; a file that could not be read is read again by the next one.
    cloud.opened.catch(() => {
      if (clouds.get(url) === cloud) clouds.delete(url)
      cloud.breaker.close()
    })
    return cloud
  }
  return {
    async pass(url, call, asked) {
      const cloud = cloudAt(url)
      const { whose } = asked
      const attempt = cloud.breaker.enter(whose)
      if (!attempt) throw cloudFailure('away', false)
      const leave = cloud.lanes.enter(asked.waits ? 'waiting' : 'asking', whose)
      if (!leave) throw cloudFailure('busy', false)
      try {
        const answer = await answerOf(await cloud.opened, call, asked)
        attempt.succeeded()
        return answer
      } catch (error) {
        if (!asked.signal.aborted && isOfCloud(error)) attempt.failed()
        throw error
      } finally {
        leave()
      }
    },
    isAway: (url, whose) => clouds.get(url)?.breaker.isAway(whose) ?? false,
    close() {
      for (const cloud of clouds.values()) closeCloud(cloud)
      clouds.clear()
    },
  }
}

/** Neither a file or a body of ours that could not be read nor an address that is not asked says something about the cloud. */
const isOfCloud = (error: unknown) =>
  isFailure<CloudFailure>(error, 'cloud') && !isFailure<CloudFailure>(error, 'cloud', 'address_refused', 'no_roots')

function openCloud(url: string, options: PassageOptions): Cloud {
  const cloud: Cloud = {
    opened: openAsking(new URL(url), options),
    breaker: breaker({
      probe: (signal) => isBack(cloud, signal),
      told: (state) => options.told(url, state),
      ...(options.probeEveryMs !== undefined && { probeEveryMs: options.probeEveryMs }),
    }),
    ...{ lanes: lanes(), usedAt: 0 },
  }
  return cloud
}

/** An address that stands in the place of a name is judged here: what is asked, and what may be connected to, stays the same. */
async function openAsking(base: URL, options: PassageOptions): Promise<Asking> {
  const { mayConnect, mayConnectPlain, deadlines } = options
  try {
    refuseAddress(base.hostname, base.protocol === 'http:' ? mayConnectPlain : mayConnect)
  } catch (error) {
    throw cloudFailure('address_refused', false, error)
  }
  try {
    return askingAt(base, await openAgents(base, options), { ...DEADLINES, ...deadlines })
  } catch (error) {
    throw cloudFailure('no_roots', false, error)
  }
}

async function openAgents({ protocol }: URL, options: PassageOptions): Promise<Agents> {
  if (protocol === 'http:') {
    const lookup = guardedLookup(options.mayConnectPlain)
    return { kept: new PlainAgent({ keepAlive: true, lookup }), fresh: new PlainAgent({ lookup }) }
  }
  const own = await options.extraRoots()
  const trusted = own.length === 0 ? {} : { ca: [...getCACertificates('default'), ...own] }
  const how = { lookup: guardedLookup(options.mayConnect), ...trusted }
  return { kept: new TlsAgent({ ...how, keepAlive: true }), fresh: new TlsAgent(how) }
}

async function answerOf(
  asking: Asking,
  call: Passed,
  { streams, ...options }: Omit<PassOptions, 'whose'>,
): Promise<Answered> {
  const { deadlines } = asking
  const message = await send(asking, call, { firstByteMs: deadlines.firstByte, ...options })
  const { statusCode: status = 0, headers } = message
  const refused =
    status >= 300 && status < 400 && status !== 304
      ? 'redirect'
      : status >= 500 && headers['slipway-version'] === undefined
        ? 'gateway'
        : null
  if (refused !== null) {
    message.destroy()
    throw cloudFailure(refused, true)
  }
  if (status === 200 && streams?.(headers['content-type'] ?? ''))
    return { status, headers, ...streamOf(message, deadlines) }
  return { status, headers, body: await readWhole(message, call.method, deadlines) }
}

async function isBack({ opened }: Cloud, signal: AbortSignal): Promise<boolean> {
  const call = { method: 'GET', path: '/healthz', headers: {}, body: null }
  return (await answerOf(await opened, call, { signal })).status === 200
}

function closeCloud({ breaker, opened }: Cloud): void {
  breaker.close()
  void opened.then(({ agents: { kept, fresh } }) => [kept, fresh].map((agent) => agent.destroy())).catch(() => {})
}

function dropUnused(clouds: Map<string, Cloud>): void {
  for (const [url, cloud] of clouds) {
    if (!cloud.lanes.isEmpty() || Date.now() - cloud.usedAt < UNUSED_MS) continue
    closeCloud(cloud)
    clouds.delete(url)
  }
}
