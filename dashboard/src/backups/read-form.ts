import type { DestinationKind } from '@slipway/contract/backup-destinations'
import { secretIn } from '../ui/forms/secret-field.tsx'
import { textIn } from '../ui/forms/text-in.ts'

const PLAIN = {
  s3_compatible: ['bucket', 'region', 'endpoint'],
  sftp: ['sshHost', 'sshUser', 'hostKey'],
  platform_server: ['serverId'],
  local: ['endpoint'],
} as const satisfies Record<DestinationKind, readonly string[]>

const SECRETS = {
  s3_compatible: ['accessKeyId', 'secretAccessKey'],
  sftp: ['sftpPassword', 'sftpPrivateKey', 'sftpKeyPassphrase'],
  platform_server: [],
  local: [],
} as const satisfies Record<DestinationKind, readonly string[]>

export const FIELD_NAMES = [
  'name',
  'pathPrefix',
  'sshPort',
  'forcePathStyle',
  ...PLAIN.s3_compatible,
  ...PLAIN.sftp,
  ...PLAIN.platform_server,
  ...SECRETS.s3_compatible,
  ...SECRETS.sftp,
] as const
export type FieldName = (typeof FIELD_NAMES)[number]

/** What the form says of a destination; a field is null where it is empty, and a secret is there only where somebody has touched it. */
export type Said = Record<string, string | number | boolean | null>

export function readForm(form: FormData, kind: DestinationKind): Said {
  const said: Said = { name: textIn(form, 'name') ?? '', pathPrefix: textIn(form, 'pathPrefix') ?? null }
  for (const name of PLAIN[kind]) said[name] = textIn(form, name) ?? null
  if (kind === 'sftp') said.sshPort = Number(textIn(form, 'sshPort') ?? 22)
  for (const name of SECRETS[kind]) {
    const secret = secretIn(form, name)
    if (secret !== undefined) said[name] = secret
  }
  if (form.has('isDefault')) said.isDefault = true
  return said
}
