import type { Domain, DomainCertificate } from '@slipway/contract/domains'
import type { Tone } from '../ui/title.ts'
import { isHereOnly } from './here-only.ts'

type Told = { word: string; tone: Tone }
type Known = Pick<Domain, 'host' | 'dns' | 'certificate' | 'live' | 'redirectTo' | 'kind'>

/** How a name stands, in a word. Amber: its records or its certificate need somebody. */
export function domainInWords({ host, dns, certificate, live, kind }: Known): Told {
  // No record can make it lead here from elsewhere.
  if (isHereOnly(host)) return { word: 'This machine only', tone: 'idle' }
  if (dns && !dns.ok) return { word: 'DNS', tone: 'ask' }
  if (certificate) return CERTIFICATES[stateOf(certificate)]
  if (!dns && kind === 'custom') return { word: 'Not looked up yet', tone: 'idle' }
  return live ? { word: 'Leads here', tone: 'ok' } : { word: 'No release', tone: 'idle' }
}

type State = DomainCertificate['state'] | 'none'
/** One that fails and has never been there is worse than one that fails to be renewed. */
const stateOf = ({ state, validTo }: DomainCertificate): State => (state === 'failing' && !validTo ? 'none' : state)

const CERTIFICATES: Record<State, Told> = {
  valid: { word: 'Secure', tone: 'ok' },
  renewing: { word: 'Secure', tone: 'ok' },
  issuing: { word: 'Certificate on its way', tone: 'run' },
  pending_dns: { word: 'Waiting', tone: 'idle' },
  failing: { word: 'Renewal fails', tone: 'ask' },
  none: { word: 'No certificate', tone: 'ask' },
  expired: { word: 'Expired', tone: 'bad' },
}

/** The certificate in one line; `now` is the server's clock. */
export function certificateInWords({ certificate, live }: Pick<Domain, 'certificate' | 'live'>, now: number): string {
  if (!certificate) return 'This instance gets no certificates: HTTPS is up to whatever stands before it.'
  const { state, issuer, daysLeft, renewAt, reason, nextTryAt } = certificate
  const left = daysLeft === null ? null : daysLeft < 0 ? 'out of its time' : `${daysLeft} d left`
  const renews = renewAt && state === 'valid' ? `renews ${inDays(Date.parse(renewAt) - now)}` : null
  const said = [issuer, [left, renews].filter(Boolean).join(', ')].filter(Boolean).join(' · ')
  const again = nextTryAt ? ` Tried again ${inDays(Date.parse(nextTryAt) - now)}.` : ''
  switch (state) {
    case 'valid':
      return said
    case 'renewing':
      return `${said}, its successor is being asked for`
    case 'issuing':
      return live ? 'HTTP works, the certificate is on its way.' : 'The certificate is being asked for.'
    case 'pending_dns':
      return reason ?? 'The certificate is asked for when the name leads here.'
    default:
      return `${said ? `${said}. ` : ''}${reason ?? 'There is no certificate.'}${again}`
  }
}

const HOUR_MS = 3_600_000

function inDays(ms: number): string {
  const hours = Math.max(0, Math.round(ms / HOUR_MS))
  if (hours === 0) return 'within the hour'
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} d`
}

/** What a record is and what it should be, to stand beside each other. */
export type DnsRow = { type: 'A' | 'AAAA' | 'TXT'; name: string; found: string; wanted: string }
type Leads = Pick<NonNullable<Domain['dns']>, 'found' | 'wanted' | 'txt'>

/** The TXT record is asked for only where an address cannot prove it: of a wildcard, and of a name behind a proxy. */
export function dnsRows(host: string, { found, wanted, txt }: Leads): DnsRow[] {
  const typeOf = (address: string): DnsRow['type'] => (address.includes(':') ? 'AAAA' : 'A')
  const seen = (type: DnsRow['type']) =>
    found.addresses.filter((address) => typeOf(address) === type).join(', ') || NOTHING
  const rows = wanted.map((address): DnsRow => {
    const type = typeOf(address)
    return { type, name: host, found: seen(type), wanted: address }
  })
  // Nobody wants one of that kind: it leads some visitors elsewhere.
  const extra = (['A', 'AAAA'] as const)
    .filter((type) => seen(type) !== NOTHING && wanted.length > 0 && !wanted.some((one) => typeOf(one) === type))
    .map((type): DnsRow => ({ type, name: host, found: seen(type), wanted: NOTHING }))
  const isElsewhere = found.addresses.some((address) => !wanted.includes(address))
  const needsTxt = host.startsWith('*.') || (isElsewhere && wanted.length > 0)
  const proof: DnsRow = { type: 'TXT', name: txt.name, found: txt.found ? txt.value : NOTHING, wanted: txt.value }
  return [...rows, ...extra, ...(needsTxt ? [proof] : [])]
}
export const NOTHING = '–'
