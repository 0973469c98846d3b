import type { DomainCheck } from '@slipway/contract/domains'
import type { DnsAnswer } from '../../drivers/dns/dns.ts'
import type { Caller } from '../access/caller.ts'
import type { Platform } from '../platform.ts'
import { requireProject } from '../projects/find.ts'
import * as servers from '../servers/store.ts'
import { whyNowhere } from './nowhere.ts'

type Parts = Pick<Platform, 'db' | 'config' | 'dns'>
const DNS_MS = 4000

/** Where a name leads, where it should, and in one sentence what to change. */
export async function checkDomain(
  parts: Parts,
  caller: Caller,
  id: string,
  host: string,
  signal: AbortSignal,
): Promise<DomainCheck> {
  const project = await requireProject(parts.db, caller, id)
  const limits = { signal, deadlineMs: DNS_MS }
  const [answer, wanted] = await Promise.all([
    parts.dns.lookup(host, limits),
    addressesOf(parts, project.orgId, project.serverId, limits),
  ])
  const found = { addresses: [...answer.a, ...answer.aaaa], cname: answer.cname }
  const wrong = found.addresses.filter((address) => !wanted.includes(address))
  const ok = found.addresses.length > 0 && wanted.length > 0 && wrong.length === 0
  return { success: true, host, ok, wanted, found, message: sentence(host, answer, { ...found, wanted, wrong }) }
}

type Limits = { signal: AbortSignal; deadlineMs: number }

/** Of the server that the project is on; without one, of every server there is. */
async function addressesOf({ db, config, dns }: Parts, orgId: string, serverId: string | null, limits: Limits) {
  const all = await servers.whereabouts(db, orgId)
  const meant = serverId === null ? all : all.filter((server) => server.id === serverId)
  const addresses = await Promise.all(
    meant.map(async ({ kind, host }) => {
      if (kind === 'local' || host === null) return config.publicAddresses
      const { a, aaaa } = await dns.lookup(host, limits)
      return a.length + aaaa.length === 0 ? [host] : [...a, ...aaaa]
    }),
  )
  return [...new Set(addresses.flat())]
}

type Seen = { addresses: string[]; wanted: string[]; wrong: string[] }

function sentence(host: string, answer: DnsAnswer, { addresses, wanted, wrong }: Seen): string {
  const records = wanted.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${address}`).join(' and ')
  if (wanted.length === 0)
    return 'Nobody told this instance at which address its server is reached: its operator sets SLIPWAY_PUBLIC_ADDRESSES.'
  if (addresses.length === 0) return `${whyNowhere(host, answer)} Set ${records}.`
  if (wrong.length === addresses.length) return `${host} leads to ${addresses.join(', ')}; set ${records} instead.`
  if (wrong.length > 0) return `${host} leads here and to ${wrong.join(', ')}, too: remove that, and keep ${records}.`
  return `${host} leads here.`
}
