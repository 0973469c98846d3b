import { redactor } from '../deployments/events/redact.ts'
import type { BaseParts } from '../parts.ts'
import type { DestinationRow } from './store.ts'

/** The secrets of a destination, each with the column it is sealed for. */
const COLUMNS = {
  accessKeyId: 'access_key_id',
  secretAccessKey: 'secret_access_key',
  sftpPassword: 'sftp_password',
  sftpPrivateKey: 'sftp_private_key',
  sftpKeyPassphrase: 'sftp_key_passphrase',
} as const
export type Secret = keyof typeof COLUMNS
const SECRETS = Object.keys(COLUMNS) as Secret[]

const placeOf = (id: string, secret: Secret) => `backup_destination/${id}/${COLUMNS[secret]}`

type Given = Partial<Record<Secret, string | null | undefined>>
type Sealed = Partial<Record<Secret, string | null>>

/** Everything that may be stored as it is. */
export const plainOf = <T extends Given>(given: T): Omit<T, Secret> =>
  Object.fromEntries(Object.entries(given).filter(([field]) => !(field in COLUMNS))) as Omit<T, Secret>

/** What was left out stays as it is, null takes it away, a text is sealed for the place it goes to. */
export function sealSecrets({ keys }: Pick<BaseParts, 'keys'>, id: string, given: Given): Sealed {
  const named = SECRETS.filter((secret) => given[secret] !== undefined)
  return Object.fromEntries(
    named.map((secret) => {
      const plain = given[secret] ?? null
      return [secret, plain === null ? null : keys.seal(plain, placeOf(id, secret))]
    }),
  )
}

/** The stored text is not what was sealed for this place, or its key is gone. */
export class UnreadableSecret extends Error {
  readonly secret: Secret

  constructor(secret: Secret, cause: unknown) {
    super(`The stored ${secret} cannot be opened.`, { cause })
    this.name = 'UnreadableSecret'
    this.secret = secret
  }
}

export function openSecrets({ keys }: Pick<BaseParts, 'keys'>, row: DestinationRow): Record<Secret, string | null> {
  const open = (secret: Secret): string | null => {
    const sealed = row[secret]
    if (sealed === null) return null
    try {
      return keys.open(sealed, placeOf(row.id, secret))
    } catch (error) {
      throw new UnreadableSecret(secret, error)
    }
  }
  return Object.fromEntries(SECRETS.map((secret) => [secret, open(secret)])) as Record<Secret, string | null>
}

/** A second lock on what other machines say: no secret of the destination stays in it. */
export const withoutSecrets = (text: string, secrets: Partial<Record<Secret, string | null>>): string =>
  redactor(Object.values(secrets).filter((plain) => plain !== null))(text)
