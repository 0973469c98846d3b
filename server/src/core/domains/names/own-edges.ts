import { isIP } from 'node:net'
import type { DnsLimits } from '../../../drivers/dns/dns.ts'
import { addressSet, type Kind, kindOf } from '../../networks/address-guard.ts'
import type { BaseParts } from '../../parts.ts'
import * as servers from '../../servers/store.ts'
import { publicAddresses } from './public-addresses.ts'

/** Enough for every server that people give a name, and no flood of questions. */
const MOST_NAMES = 20

export type OwnEdges = {
  /** Of a server of the organization. */
  isHere(address: string): boolean
  /** An edge of the instance, where its own port is the one to ask. */
  isEdge(address: string): boolean
  mayConnect(address: string): boolean
}

/** Which addresses are ours, and which the control plane goes to when a stranger's name leads there. */
export async function ownEdges(
  { db, config, dns }: Pick<BaseParts, 'db' | 'config' | 'dns'>,
  orgId: string,
  limits: DnsLimits,
): Promise<OwnEdges> {
  const all = await servers.whereabouts(db, orgId)
  const reached = all.flatMap(({ host, engineId }) => (host === null ? [] : [{ host, used: engineId !== null }]))
  const literal = reached.filter(({ host }) => isIP(host) !== 0)
  const named = reached.filter(({ host }) => isIP(host) === 0).slice(0, MOST_NAMES)
  const answers = await Promise.all(named.map(({ host }) => dns.lookup(host, limits)))
  const offersOwn = all.some(({ kind }) => kind === 'local')
  const isHere = addressSet([
    ...literal.map(({ host }) => host),
    ...answers.flatMap(({ a, aaaa }) => [...a, ...aaaa]),
    ...(offersOwn ? publicAddresses(config) : []),
  ])
  const ofOperator = addressSet(publicAddresses(config))
  // Anybody may write an address into a server. One that was used has proved to be an engine of theirs; a name proves
  // nothing, because it may lead elsewhere by now.
  const proved = literal.filter(({ host, used }) => used && !NEVER.has(kindOf(host)))
  const ofServers = addressSet(proved.map(({ host }) => host))
  return {
    isHere,
    isEdge: (address) => isHere(address) || ofOperator(address),
    mayConnect: (address) => kindOf(address) === null || ofOperator(address) || ofServers(address),
  }
}

/** No server of an organization is there, whatever it says. */
const NEVER = new Set<Kind | null>(['unspecified', 'loopback', 'link-local', 'metadata', 'multicast', 'not an address'])
