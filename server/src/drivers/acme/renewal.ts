import { X509Certificate } from 'node:crypto'
import { isFailure } from '../../errors.ts'
import { type AcmeTarget, acmeFailure, type RenewalRequest, type RenewalWindow } from './acme.ts'
import type { Session } from './session.ts'

/** The bounds RFC 9773 gives for how soon to ask again, and the usual time where the CA says nothing. */
const LEAST_MS = 60_000
const MOST_MS = 86_400_000
const USUAL_MS = 6 * 3_600_000

export async function directoryOf(session: Session, { directoryUrl }: AcmeTarget): Promise<Record<string, unknown>> {
  const { data } = await session.during('renewal', () => session.get(directoryUrl))
  return ((typeof data === 'object' ? data : null) as Record<string, unknown>) ?? {}
}

export async function renewalWindow(
  session: Session,
  target: AcmeTarget,
  { certificatePem }: RenewalRequest,
): Promise<RenewalWindow | null> {
  const { renewalInfo } = await directoryOf(session, target)
  if (typeof renewalInfo !== 'string') return null
  const url = `${renewalInfo.replace(/\/$/, '')}/${renewalId(certificatePem)}`
  const answer = await session
    .during('renewal', () => session.get(url))
    .catch((error) => {
      // A certificate that it does not know, from a CA that was configured before.
      if (isFailure(error, 'acme', 'order_rejected')) return null
      throw error
    })
  if (answer === null) return null
  const { suggestedWindow } = answer.data as { suggestedWindow?: { start?: string; end?: string } }
  const [from, to] = [new Date(suggestedWindow?.start ?? ''), new Date(suggestedWindow?.end ?? '')]
  if (!(from.getTime() < to.getTime())) {
    throw acmeFailure('ca_failed', 'The CA suggested a time of renewal that cannot be read.')
  }
  const pause = session.pauseMs() ?? USUAL_MS
  return { from, to, checkAfter: new Date(Date.now() + Math.min(Math.max(pause, LEAST_MS), MOST_MS)) }
}

/** How RFC 9773 names a certificate: the key that signed it, and its serial number as it stands in the certificate. */
export function renewalId(certificatePem: string): string {
  const { raw } = new X509Certificate(certificatePem)
  const [tbs] = partsOf(insideOf(raw))
  const fields = partsOf(insideOf(tbs ?? Buffer.alloc(0)))
  const serial = fields.find(([tag]) => tag === INTEGER)
  const extensions = fields.find(([tag]) => tag === EXTENSIONS)
  const all = extensions ? partsOf(insideOf(insideOf(extensions))) : []
  const authority = all.map((one) => partsOf(insideOf(one))).find(([id]) => id?.equals(AUTHORITY_KEY_ID))
  // The value is wrapped in an octet string; in it, the first of the optional fields is the key's identifier.
  const keyId =
    authority && partsOf(insideOf(insideOf(authority.at(-1) ?? Buffer.alloc(0)))).find(([tag]) => tag === 0x80)
  if (!serial || !keyId) throw acmeFailure('ca_failed', 'The certificate does not say which key signed it.')
  return `${insideOf(keyId).toString('base64url')}.${insideOf(serial).toString('base64url')}`
}

const INTEGER = 0x02
const EXTENSIONS = 0xa3
const AUTHORITY_KEY_ID = Buffer.from('0603551d23', 'hex')

/** DER: a tag, a length, and what is inside. Node has parsed the certificate before, so the lengths are right. */
function lengthsOf(der: Buffer): { head: number; body: number } {
  const first = der[1] ?? 0
  if (first < 0x80) return { head: 2, body: first }
  const size = first & 0x7f
  return { head: 2 + size, body: der.readUIntBE(2, size) }
}

function insideOf(der: Buffer): Buffer {
  const { head, body } = lengthsOf(der)
  return der.subarray(head, head + body)
}

function partsOf(der: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < der.length; ) {
    const { head, body } = lengthsOf(der.subarray(at))
    parts.push(der.subarray(at, at + head + body))
    at += head + body
  }
  return parts
}
