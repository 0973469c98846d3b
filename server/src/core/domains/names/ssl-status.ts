import type { SslStatus } from '@slipway/contract/ssl'
import type { ProbeResult } from '../../../drivers/tls-probe/tls-probe.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { kindOf, shownTo } from '../../networks/address-guard.ts'
import type { BaseParts } from '../../parts.ts'
import { whyNowhere } from './nowhere.ts'
import { type OwnEdges, ownEdges } from './own-edges.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'config' | 'dns' | 'tlsProbe'>

const DEADLINE_MS = 8000
const DNS_MS = 3000
const HTTPS = 443
const DAY_MS = 86_400_000

/** Looks at a domain as a stranger would: one lookup, one handshake with what was found. Writes nothing. */
export async function showSslStatus(
  parts: Parts,
  caller: Caller,
  domain: string,
  signal: AbortSignal,
): Promise<SslStatus> {
  const until = Date.now() + DEADLINE_MS
  const limits = { signal, deadlineMs: DNS_MS }
  const [found, edges, managed] = await Promise.all([
    parts.dns.lookup(domain, limits),
    ownEdges(parts, caller.orgId, limits),
    store.isManaged(parts.db, caller, domain),
  ])
  const addresses = [...found.a, ...found.aaaa]
  const shown = addresses.map((address) => (edges.isHere(address) ? address : shownTo(parts.config.mode, address)))
  const dns = { resolves: addresses.length > 0, addresses: shown, pointsHere: addresses.some(edges.isHere) }
  const base = { success: true as const, domain, dns, managed }
  if (!dns.resolves) return { ...base, ...NO_CERTIFICATE, state: 'unreachable', lastError: whyNowhere(domain, found) }
  const target = targetOf(parts, domain, addresses, edges)
  const seen = await parts.tlsProbe.probe({ ...target, servername: domain, signal, deadlineMs: until - Date.now() })
  return { ...base, ...certificateOf(seen) }
}

/** Where to look: at our own edge if the name leads there, and only where the control plane may go. */
function targetOf({ config }: Parts, domain: string, addresses: string[], edges: OwnEdges) {
  const open = addresses.filter(edges.mayConnect)
  if (open.length === 0) throw refused(domain, addresses)
  const own = open.filter(edges.isEdge)
  return own.length > 0 ? { addresses: own, port: config.edge.httpsPort } : { addresses: open, port: HTTPS }
}

/** Says of what kind the addresses are, and not which: names inside of a network are nobody's business. */
function refused(domain: string, addresses: string[]): Refusal {
  const kinds = [...new Set(addresses.map(kindOf))].join(', ')
  return new Refusal('address_refused', `${domain} leads to no address of the internet, only to: ${kinds}.`, {
    field: 'domain',
    hint: "Let the name lead to a public address. For this instance's own edge, its operator names the address: slipway setup install --set SLIPWAY_PUBLIC_ADDRESSES=203.0.113.10",
  })
}

const NO_CERTIFICATE = {
  issuer: null,
  subject: null,
  altNames: [],
  validFrom: null,
  validTo: null,
  daysLeft: null,
  fingerprint256: null,
}

function certificateOf({ state, certificate, lastError }: ProbeResult) {
  if (certificate === null) return { ...NO_CERTIFICATE, state, lastError }
  const { issuer, subject, altNames, validFrom, validTo, fingerprint256 } = certificate
  return {
    state,
    issuer,
    subject,
    altNames,
    validFrom: validFrom.toISOString(),
    validTo: validTo.toISOString(),
    daysLeft: Math.floor((validTo.getTime() - Date.now()) / DAY_MS),
    fingerprint256,
    lastError,
  }
}
