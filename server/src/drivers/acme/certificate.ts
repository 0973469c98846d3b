import { createPrivateKey, X509Certificate } from 'node:crypto'
import { acmeFailure, type Issued } from './acme.ts'

type PemBundle = { chainPem: string; keyPem: string; hosts: string[] }

/** What the CA brought, once it is what was ordered: a chain for this key and these names. */
export function readIssued({ chainPem, keyPem, hosts }: PemBundle): Issued {
  const leaf = parsed(chainPem)
  if (!leaf.checkPrivateKey(createPrivateKey(keyPem))) throw useless('it belongs to another key')
  const missing = hosts.find((host) => leaf.checkHost(host.replace(/^\*\./, 'any.')) === undefined)
  if (missing !== undefined) throw useless(`it does not name ${missing}`)
  const issuer = /^CN=(.+)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer.replaceAll('\n', ', ')
  return {
    chainPem,
    keyPem,
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
    serial: leaf.serialNumber,
    issuer,
    hosts,
  }
}

function parsed(chainPem: unknown): X509Certificate {
  try {
    const all = String(chainPem).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    const [leaf] = all.map((one) => new X509Certificate(one))
    if (leaf) return leaf
  } catch {
    // Said below.
  }
  throw useless('it cannot be read')
}

const useless = (why: string) => acmeFailure('ca_failed', `The CA brought a certificate that is of no use: ${why}.`)
