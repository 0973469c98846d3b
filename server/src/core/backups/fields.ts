import {
  type DestinationKind,
  type DestinationPatch,
  hasField,
  KIND_FIELDS,
  type KindField,
  localEndpoint,
  s3Endpoint,
} from '@slipway/contract/backup-destinations'
import { Refusal } from '../../errors.ts'
import { withoutUndefined } from '../row-version.ts'

type Values = Partial<Record<KindField, unknown>>
/** What is given of a destination's way, new or changed: all but kind, name and default. */
export type Given = Omit<DestinationPatch, 'kind' | 'name' | 'isDefault'>

/** What each kind cannot do without. */
const NEEDED: Record<DestinationKind, readonly KindField[]> = {
  s3_compatible: ['bucket', 'accessKeyId', 'secretAccessKey'],
  sftp: ['sshHost', 'sshUser'],
  platform_server: ['serverId'],
  local: ['endpoint'],
}
const SSH_PORT = 22

/** Without what other kinds have, which may be named as null; a port that is taken away is the usual one again. */
export function ofKind(kind: DestinationKind, given: Given): Given {
  const isForeign = (field: string) => KIND_FIELDS.includes(field as KindField) && !hasField(kind, field as KindField)
  const own: Given = Object.fromEntries(Object.entries(given).filter(([field]) => !isForeign(field)))
  return own.sshPort === null ? { ...own, sshPort: SSH_PORT } : own
}

/** After a change, all that the kind needs must still be there. */
export function requireComplete(kind: DestinationKind, after: Values): void {
  const missing = NEEDED[kind].find((field) => isAbsent(after[field]))
  if (missing !== undefined) throw wrong(missing, `${missing} is required for a destination of kind ${kind}.`)
  if (kind === 'sftp' && isAbsent(after.sftpPassword) && isAbsent(after.sftpPrivateKey)) {
    throw wrong('sftpPassword', 'A destination of kind sftp needs sftpPassword or sftpPrivateKey.')
  }
}

const isAbsent = (value: unknown) => value === null || value === undefined

/** Refuses what this kind does not have: silence would look as if it had been taken. */
export function requireFitting(kind: DestinationKind, patch: DestinationPatch): void {
  if (patch.kind !== undefined && patch.kind !== kind) {
    throw new Refusal('invalid_request', `The kind of a destination cannot change: this one is ${kind}.`, {
      field: 'kind',
      hint: 'Make another destination.',
    })
  }
  const foreign = KIND_FIELDS.find((field) => !hasField(kind, field) && !isAbsent(patch[field]))
  if (foreign !== undefined) throw wrong(foreign, `A destination of kind ${kind} has no ${foreign}.`)
  const form = kind === 'local' ? localEndpoint : s3Endpoint
  const checked = typeof patch.endpoint === 'string' ? form.safeParse(patch.endpoint) : undefined
  if (checked?.success === false) throw wrong('endpoint', `endpoint: ${checked.error.issues[0]?.message}`)
}

/** Whether a change is one of the way a destination is reached; a secret counts, even when it is the same again. */
export const changesWay = (given: Given, before: Values & { pathPrefix: string | null }): boolean =>
  Object.entries(withoutUndefined(given)).some(([field, value]) => value !== before[field as KindField | 'pathPrefix'])

const wrong = (field: string, message: string) =>
  new Refusal('invalid_request', message, { field, hint: 'See /api/docs for what each kind needs.' })
