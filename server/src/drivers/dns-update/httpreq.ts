import { Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DnsChallenges, dnsUpdateFailure } from './dns-update.ts'
import { asking } from './locate.ts'

export type HttpreqOptions = {
  /** `/present` and `/cleanup` are below it. */
  url: string
  /** For Basic authentication; null: none. */
  login: { user: string; password: string } | null
  /** Who is asked whether a value is there, as `address` or `address:port`; null: the name servers of the zone. */
  resolvers?: string[] | null
  visibleMs?: number
  deadlineMs?: number
}

const VISIBLE_MS = 90_000
const DEADLINE_MS = 30_000
const LOOK_MS = 3000
const PAUSE_MS = 1000
const MOST_SAID = 200

/**
 * A webhook that sets TXT records, as the ACME client lego calls one (`httpreq`): small programs that speak it exist for any provider of
 * DNS, so that no provider has to be known here.
 */
export function httpreq(options: HttpreqOptions): DnsChallenges {
  const { visibleMs = VISIBLE_MS } = options
  return {
    async put(name, value, { signal }) {
      await call(options, 'present', { name, value }, signal)
      await untilSeen(options, { name, value, visibleMs }, signal)
    },
    remove: (name, value, { signal }) => call(options, 'cleanup', { name, value }, signal),
  }
}

type TxtRecord = { name: string; value: string }

async function call(
  { url, login, deadlineMs = DEADLINE_MS }: HttpreqOptions,
  verb: 'present' | 'cleanup',
  { name, value }: TxtRecord,
  signal: AbortSignal,
): Promise<void> {
  const { host } = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (login) headers.authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`
  const late = AbortSignal.timeout(deadlineMs)
  const answer = await fetch(`${url.replace(/\/+$/, '')}/${verb}`, {
    ...{ method: 'POST', headers, redirect: 'error', signal: AbortSignal.any([signal, late]) },
    body: JSON.stringify({ fqdn: `${name.replace(/\.$/, '')}.`, value }),
  }).catch((error) => {
    signal.throwIfAborted()
    if (late.aborted) throw dnsUpdateFailure('dns_timeout', `The webhook at ${host} did not answer in time.`, error)
    throw dnsUpdateFailure('dns_unreachable', `The webhook at ${host} cannot be reached.`, error)
  })
  const said = (await answer.text().catch(() => '')).slice(0, MOST_SAID)
  if (answer.ok) return
  const words = `The webhook at ${host} answered ${answer.status} to a change of ${name}`
  if (answer.status === 401 || answer.status === 403) throw dnsUpdateFailure('key_refused', `${words}.`)
  throw dnsUpdateFailure('update_refused', said === '' ? `${words}.` : `${words}: ${said}`)
}

/** A CA asks any of the zone's name servers. */
async function untilSeen(
  { resolvers = null }: HttpreqOptions,
  { name, value, visibleMs }: TxtRecord & { visibleMs: number },
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + visibleMs
  const servers = resolvers === null ? await zoneServers(name, signal) : resolvers.map((one) => [one])
  let waiting = servers
  for (;;) {
    const seen = await Promise.all(waiting.map((server) => shows(server, name, value)))
    waiting = waiting.filter((_, index) => !seen[index])
    if (waiting.length === 0) return
    if (performance.now() + PAUSE_MS > until) throw unseen(name, waiting.flat(), visibleMs)
    await sleep(PAUSE_MS, undefined, { signal })
  }
}

const unseen = (name: string, servers: string[], ms: number) =>
  dnsUpdateFailure(
    'not_visible',
    `The change of ${name} was accepted, and ${servers.join(' and ')} did not show it within ${ms / 1000} s.`,
  )

async function shows(servers: string[], name: string, value: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: LOOK_MS, tries: 1 })
  resolver.setServers(servers)
  const found = await resolver.resolveTxt(name).catch(() => [])
  return found.some((pieces) => pieces.join('') === value)
}

/** The addresses of each server that the nearest zone above the name has. */
async function zoneServers(name: string, signal: AbortSignal): Promise<string[][]> {
  const labels = name.replace(/\.$/, '').split('.')
  for (let from = 1; from < labels.length; from++) {
    const zone = labels.slice(from).join('.')
    const names = await asking(null, signal, (resolver) => resolver.resolveNs(zone))
    const addresses = await Promise.all(
      names.map(async (one) => [
        ...(await asking(null, signal, (resolver) => resolver.resolve4(one))),
        ...(await asking(null, signal, (resolver) => resolver.resolve6(one))),
      ]),
    )
    const found = addresses.filter((one) => one.length > 0)
    if (found.length > 0) return found
  }
  throw dnsUpdateFailure('zone_missing', `Nobody says which name servers ${name} has.`)
}
