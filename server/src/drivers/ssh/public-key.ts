import { parsePrivateKey } from './private-key.ts'

/** The line for authorized_keys that belongs to a private key. */
export async function publicKeyOf(secret: { privateKey: string; passphrase?: string }): Promise<string> {
  const key = await parsePrivateKey(secret)
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}
