import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** ECDSA P-256: every CA and every browser takes it, and handshakes are cheap. */
export async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return privateKey
}
