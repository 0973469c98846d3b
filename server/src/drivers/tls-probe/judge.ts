import type { X509Certificate } from 'node:crypto'
import type { CertificateState, SeenCertificate } from './tls-probe.ts'

const DAY_MS = 86_400_000
/** A stranger decides how long these are. */
const MOST_NAMES = 200
const LONGEST = 500

/** What is on a certificate, and whether it is good for the name. `distrust` is what OpenSSL said of the chain. */
export function readCertificate(x509: X509Certificate, servername: string, distrust: string | null): SeenCertificate {
  const named = x509.checkHost(servername, { subject: 'never', partialWildcards: false }) !== undefined
  return {
    issuer: oneLine(x509.issuer),
    subject: oneLine(x509.subject),
    altNames: altNames(x509.subjectAltName),
    validFrom: x509.validFromDate,
    validTo: x509.validToDate,
    serial: x509.serialNumber,
    fingerprint256: x509.fingerprint256,
    trusted: distrust === null,
    distrust,
    nameMatches: named,
  }
}

/** The first that holds of: out of its time, nobody's word, another's name, soon over. All of them are told. */
export function judge(seen: SeenCertificate, servername: string, now: Date) {
  const found: [state: CertificateState, sentence: string][] = []
  if (now >= seen.validTo) found.push(['expired', `The certificate expired on ${day(seen.validTo)}.`])
  else if (now < seen.validFrom)
    found.push(['expired', `The certificate is valid only from ${day(seen.validFrom)} on.`])
  // Of a chain whose only fault is its time, the time was told already.
  if (seen.distrust !== null && !(found.length > 0 && TIME.has(seen.distrust)))
    found.push(['self_signed', whyNot(seen.distrust)])
  if (!seen.nameMatches) found.push(['mismatch', wrongName(seen, servername)])
  if (found.length === 0 && isExpiring(seen, now))
    found.push(['expiring', `The certificate expires on ${day(seen.validTo)}.`])
  return {
    state: found[0]?.[0] ?? ('valid' as const),
    lastError: found.length === 0 ? null : found.map(([, sentence]) => sentence).join(' '),
  }
}

/** A third of its life is left, or two weeks; of a short life never more than the half, or it would be born expiring. */
function isExpiring({ validFrom, validTo }: Pick<SeenCertificate, 'validFrom' | 'validTo'>, now: Date): boolean {
  const life = validTo.getTime() - validFrom.getTime()
  const left = validTo.getTime() - now.getTime()
  return left < Math.max(life / 3, Math.min(14 * DAY_MS, life / 2))
}

const day = (date: Date) => date.toISOString().slice(0, 10)
const TIME = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])

function wrongName({ altNames }: SeenCertificate, servername: string): string {
  if (altNames.length === 0) return `The certificate names no host at all, so not ${servername} either.`
  const others = altNames.length > 3 ? ` and ${altNames.length - 3} more` : ''
  return `The certificate is for ${altNames.slice(0, 3).join(', ')}${others}, not for ${servername}.`
}

const DISTRUST: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is signed by itself, so nobody vouches for it.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate comes from an authority that is not trusted here.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate comes from an authority that is not trusted here, or the server does not send the certificates between.',
  UNSPECIFIED: 'The certificate is not trusted; its key or signature may be too weak.',
  CERT_HAS_EXPIRED: 'A certificate of the authority, or one in between, has expired.',
  CERT_NOT_YET_VALID: 'A certificate of the authority, or one in between, is not valid yet.',
}
DISTRUST.UNABLE_TO_GET_ISSUER_CERT_LOCALLY = DISTRUST.UNABLE_TO_VERIFY_LEAF_SIGNATURE as string
DISTRUST.UNABLE_TO_GET_ISSUER_CERT = DISTRUST.UNABLE_TO_VERIFY_LEAF_SIGNATURE as string

const whyNot = (code: string) => DISTRUST[code] ?? `The certificate is not trusted (${code}).`

/** `C=US\nO=Example\nCN=R1` in one line, the most telling part first. */
function oneLine(lines: string | undefined): string | null {
  const text = (lines ?? '').split('\n').filter(Boolean).reverse().join(', ')
  return text === '' ? null : text.slice(0, LONGEST)
}

/** From `DNS:a.com, IP Address:1.2.3.4, DNS:"quoted, where it must be"`. */
function altNames(list: string | undefined): string[] {
  const found = (list ?? '').matchAll(/(?:^|, )(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,"]*)/g)
  const names = Array.from(found, ([, , name = '']) => (name.startsWith('"') ? name.slice(1, -1) : name))
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST))
}
