import type { DomainCheck } from '@slipway/contract/domains'
import type { DnsAnswer } from '../../../drivers/dns/dns.ts'
import type { Caller } from '../../access/caller.ts'
import { shownTo } from '../../networks/address-guard.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import * as servers from '../../servers/store.ts'
import { whyNowhere } from './nowhere.ts'
import { publicAddresses } from './public-addresses.ts'

type Parts = Pick<BaseParts, 'db' | 'config' | 'dns'>
type Leads = Omit<DomainCheck, 'success' | 'host'>
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
  return { success: true, host, ...(await whereItLeads(parts, project, host, signal)) }
}

type Place = { orgId: string; serverId: string | null }
type Limits = { signal: AbortSignal; deadlineMs: number }

/**
 * A name leads here when all its addresses are the server's. One behind a proxy shows the proxy's: its owner says with a TXT
 * record that it is meant to. A wildcard needs that record in any case, because no single address could prove it.
 */
export async function whereItLeads(parts: Parts, place: Place, host: string, signal: AbortSignal): Promise<Leads> {
  const limits = { signal, deadlineMs: DNS_MS }
  const isWildcard = host.startsWith('*.')
  const txt = { name: txtName(host), value: place.orgId, found: false }
  const nowhere = { addresses: [], cname: [] }
  if (host.endsWith('.localhost')) return { ok: false, wanted: [], found: nowhere, txt, message: onlyThere(host) }
  const wanted = await addressesOf(parts, place, limits)
  if (wanted.length === 0) return { ok: false, wanted, found: nowhere, txt, message: NOBODY_KNOWS }
  const answer = await parts.dns.lookup(isWildcard ? `${PROBE}${host.slice(1)}` : host, limits)
  const isWanted = (address: string) => wanted.includes(address)
  const show = (address: string) => (isWanted(address) ? address : shownTo(parts.config.mode, address))
  const found = { addresses: [...answer.a, ...answer.aaaa].map(show), cname: answer.cname }
  const wrong = found.addresses.filter((address) => !isWanted(address))
  const direct = found.addresses.length > 0 && wrong.length === 0
  const owned = (isWildcard || !direct) && (await isOwned(parts, place, host, limits))
  const seen = { host, answer, addresses: found.addresses, wanted, wrong, txt, owned, isWildcard }
  const ok = isWildcard ? direct && owned : direct || (owned && found.addresses.length > 0)
  return { ok, wanted, found, txt: { ...txt, found: owned }, message: sentence(seen) }
}

/** Any name below stands for all of them. */
const PROBE = 'slipway-probe'
const txtName = (host: string) => `_slipway.${host.replace(/^\*\./, '')}`

/** Whose a name is in the words of whoever sets its records. A value is no secret: setting it is the proof. */
export async function ownersOf({ dns }: Pick<Parts, 'dns'>, host: string, limits: Limits): Promise<string[]> {
  const { txt } = await dns.lookup(txtName(host), { ...limits, txt: true })
  return (txt ?? []).map((text) => text.trim())
}

const isOwned = async (parts: Parts, { orgId }: Place, host: string, limits: Limits): Promise<boolean> =>
  (await ownersOf(parts, host, limits)).includes(orgId)

const NOBODY_KNOWS =
  'Nobody told this instance at which address its server is reached. Its operator says it there, as root: slipway setup install --set SLIPWAY_PUBLIC_ADDRESSES=203.0.113.10'

/** RFC 6761, 6.3: such a name is loopback wherever it is asked for. No record is wanted, because none would be looked at. */
const onlyThere = (host: string) =>
  `${host} leads only to the machine on which it is opened, and no record changes that. Add a domain; or have a base domain set, for the names of new projects: slipway setup install --base-domain apps.example.com`

/** Of the server that the project is on; without one, of every server there is. */
async function addressesOf({ db, config, dns }: Parts, { orgId, serverId }: Place, limits: Limits) {
  const all = await servers.whereabouts(db, orgId)
  const meant = serverId === null ? all : all.filter((server) => server.id === serverId)
  const addresses = await Promise.all(
    meant.map(async ({ kind, host }) => {
      if (kind === 'local' || host === null) return publicAddresses(config)
      const { a, aaaa } = await dns.lookup(host, limits)
      return a.length + aaaa.length === 0 ? [host] : [...a, ...aaaa]
    }),
  )
  return [...new Set(addresses.flat())]
}

type Seen = {
  host: string
  answer: DnsAnswer
  addresses: string[]
  wanted: string[]
  wrong: string[]
  txt: { name: string; value: string }
  owned: boolean
  isWildcard: boolean
}

function sentence({ host, answer, addresses, wanted, wrong, txt, owned, isWildcard }: Seen): string {
  const records = wanted.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${address}`).join(' and ')
  if (isWildcard && !owned) return `Set TXT ${txt.name} to ${txt.value}: it says that names below are yours.`
  if (addresses.length === 0) return `${whyNowhere(host, answer)} Set ${records}.`
  if (wrong.length > 0 && owned && !isWildcard)
    return `${host} leads to ${addresses.join(', ')}, and TXT ${txt.name} says that it is meant to come here.`
  if (wrong.length === addresses.length) return `${host} leads to ${addresses.join(', ')}; set ${records} instead.`
  if (wrong.length > 0) return `${host} leads here and to ${wrong.join(', ')}, too: remove that, and keep ${records}.`
  return `${host} leads here.`
}
