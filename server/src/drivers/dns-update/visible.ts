import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure } from '../../errors.ts'
import { ask, newId, type Target } from './ask.ts'
import { type DnsUpdateFailure, dnsUpdateFailure } from './dns-update.ts'
import { exchange, type Limits, type Server, spell } from './exchange.ts'
import { asking, type Place } from './locate.ts'
import { CODE, query, readAddress, readName, readText, TYPE } from './wire.ts'

const FIRST_PAUSE_MS = 100
const MOST_PAUSE_MS = 3000
const LOOK_MS = 3000
/** A name server that was away so often is one that nobody can ask now. */
const MOST_AWAY = 2
const MOST_SERVERS = 16

type Wanted = { place: Place; value: string; resolvers: string[] | null; visibleMs: number }

/**
 * Returns when all name servers of the zone that can be reached from here show the value: a CA asks any of them. Where none
 * can be reached, as with a hidden primary in a closed network, the word of the server that took the change has to do.
 */
export async function untilVisible(target: Target, wanted: Wanted, limits: Limits): Promise<void> {
  const { place, value, visibleMs } = wanted
  const until = performance.now() + visibleMs
  const named = await nameServers(target, wanted, limits)
  let waiting = named.map((server) => ({ server, away: 0 }))
  let reached = 0
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MOST_PAUSE_MS)) {
    const looks = await Promise.all(
      waiting.map(async (one) => ({ ...one, seen: await look(one.server, place, value, limits.signal) })),
    )
    reached += looks.filter(({ seen }) => seen === 'there').length
    waiting = looks
      .filter(({ seen }) => seen !== 'there')
      .map(({ server, away, seen }) => ({ server, away: seen === 'away' ? away + 1 : 0 }))
      .filter(({ away }) => away < MOST_AWAY)
    if (waiting.length === 0 && reached > 0) return
    // It is not among those that the zone names, or they are not for us: then it speaks for all of them.
    if (waiting.length === 0) waiting = [{ server: target.server, away: Number.NEGATIVE_INFINITY }]
    if (performance.now() + pause > until)
      throw unseen(
        place,
        waiting.map(({ server }) => spell(server)),
        visibleMs,
      )
    await sleep(pause, undefined, { signal: limits.signal }).catch(() => limits.signal.throwIfAborted())
  }
}

const unseen = ({ name }: Place, servers: string[], ms: number) =>
  dnsUpdateFailure(
    'not_visible',
    `The change of ${name} was accepted, and ${servers.join(' and ')} did not show it within ${ms / 1000} s.`,
  )

/** `away`: no answer, or from one that has nothing to say about the zone. */
async function look(
  server: Server,
  place: Place,
  value: string,
  signal: AbortSignal,
): Promise<'there' | 'not' | 'away'> {
  try {
    const question = query(newId(), place.name, TYPE.TXT)
    const { code, answers } = await exchange(server, question, { signal, deadlineMs: LOOK_MS })
    if (code === CODE.refused || code === CODE.notAuth) return 'away'
    return answers.some(({ type, data }) => type === TYPE.TXT && readText(data) === value) ? 'there' : 'not'
  } catch (error) {
    signal.throwIfAborted()
    if (isFailure<DnsUpdateFailure>(error, 'dns-update')) return 'away'
    throw error
  }
}

/** The addresses of those that the zone names: as it says them itself, or as everyone knows them. */
async function nameServers(target: Target, { place, resolvers }: Wanted, limits: Limits): Promise<Server[]> {
  const { answers, additional, bytes } = await ask(target, place.zone, TYPE.NS, limits)
  const names = answers.filter(({ type }) => type === TYPE.NS).map(({ dataStart }) => readName(bytes, dataStart).name)
  const found = await Promise.all(
    names.map(async (name) => {
      const beside = additional.filter((record) => record.name === name).map(readAddress)
      const known = beside.filter((address) => address !== null)
      if (known.length > 0) return known
      const [four, six] = await Promise.all([
        asking(resolvers, limits.signal, (resolver) => resolver.resolve4(name)),
        asking(resolvers, limits.signal, (resolver) => resolver.resolve6(name)),
      ])
      return [...four, ...six]
    }),
  )
  return [...new Set(found.flat())].slice(0, MOST_SERVERS).map((host) => ({ host, port: 53 }))
}
