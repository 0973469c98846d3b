import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// Thousands of certificates, each with its own key and name, in seconds: one program call for each would take minutes.

export type Made = { host: string; pem: string }
type Pair = { publicKey: KeyObject; privateKey: KeyObject }

const DAY_MS = 86_400_000
const newKey = (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** An authority of our own, whose root clients are told to believe. */
export function authority(name: string): { root: string; issue(host: string): Made } {
  const own = newKey()
  const root = certificate({ subject: name, key: own.publicKey, issuer: name, signer: own.privateKey, extensions: CA })
  return {
    root,
    issue(host) {
      const { publicKey, privateKey } = newKey()
      const names = extension('551d11', sequence(tlv(0x82, Buffer.from(host, 'ascii'))))
      const leaf = certificate({
        ...{ subject: host, key: publicKey, issuer: name, signer: own.privateKey },
        extensions: [names],
      })
      return { host, pem: leaf + privateKey.export({ type: 'pkcs8', format: 'pem' }) }
    },
  }
}

type Wanted = { subject: string; key: KeyObject; issuer: string; signer: KeyObject; extensions: Buffer[] }

/** X.509 version 3 (RFC 5280), signed with ECDSA and SHA-256. */
function certificate({ subject, key, issuer, signer, extensions }: Wanted): string {
  const algorithm = sequence(oid('2a8648ce3d040302'))
  // Positive, as it must be.
  const serial = tlv(0x02, Buffer.concat([Buffer.from([0x40]), randomBytes(15)]))
  const life = sequence(time(Date.now() - DAY_MS), time(Date.now() + 89 * DAY_MS))
  const version = tlv(0xa0, tlv(0x02, Buffer.from([2])))
  const told = sequence(
    ...[version, serial, algorithm, nameOf(issuer), life, nameOf(subject)],
    ...[key.export({ type: 'spki', format: 'der' }), tlv(0xa3, sequence(...extensions))],
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', told, signer)]))
  const base64 = sequence(told, algorithm, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function tlv(tag: number, value: Buffer): Buffer {
  const length = value.length
  const more = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...more]), value])
}

const sequence = (...parts: Buffer[]) => tlv(0x30, Buffer.concat(parts))
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const nameOf = (text: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(text)))))
const time = (ms: number) =>
  tlv(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`, 'ascii'))
const critical = tlv(0x01, Buffer.from([0xff]))
const extension = (id: string, value: Buffer, ...flags: Buffer[]) => sequence(oid(id), ...flags, tlv(0x04, value))

/** It is an authority, and signs certificates. */
const CA = [
  extension('551d13', sequence(critical), critical),
  extension('551d0f', tlv(0x03, Buffer.from([2, 0x04])), critical),
]
