import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import type { SshKeys } from './ssh-keys.ts'

type Given = { privateKey?: string | undefined; passphrase?: string | null | undefined }

export const placeOfKey = (serverId: string) => `server/${serverId}/private_key`
export const placeOfPassphrase = (serverId: string) => `server/${serverId}/passphrase`

/** Seals the key that was given, or makes a pair: then only the public half ever leaves the instance. */
export async function sealedKey(
  { keys, sshKeys }: Pick<BaseParts, 'keys'> & { sshKeys: SshKeys },
  id: string,
  name: string,
  given: Given,
) {
  const pair = given.privateKey === undefined ? sshKeys.generate(`slipway ${name}`) : await readPair(sshKeys, given)
  const passphrase = given.privateKey === undefined ? undefined : given.passphrase
  return {
    privateKey: keys.seal(pair.privateKey, placeOfKey(id)),
    passphrase: passphrase ? keys.seal(passphrase, placeOfPassphrase(id)) : null,
    publicKey: pair.publicKey.trim(),
  }
}

async function readPair(sshKeys: SshKeys, { privateKey = '', passphrase }: Given) {
  try {
    return { privateKey, publicKey: await sshKeys.publicKeyOf({ privateKey, ...(passphrase && { passphrase }) }) }
  } catch (error) {
    throw new Refusal('invalid_request', 'The private key cannot be read.', {
      field: 'privateKey',
      hint: 'Give it in OpenSSH or PEM form, with its passphrase if it has one.',
      cause: error,
    })
  }
}
