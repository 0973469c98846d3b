import {
  type DestinationKind,
  type DestinationPatch,
  localEndpoint,
  s3Endpoint,
} from '@slipway/contract/backup-destinations'
import { Refusal } from '../../errors.ts'
import { withoutUndefined } from '../projects/manage.ts'

type Field = Exclude<keyof DestinationPatch, 'kind' | 'name' | 'isDefault' | 'pathPrefix'>
type Values = Partial<Record<Field, unknown>>

/** What each kind has beside name and prefix, and what it cannot do without. */
const OF_KIND: Record<DestinationKind, { takes: readonly Field[]; needs: readonly Field[] }> = {
  s3_compatible: {
    takes: ['endpoint', 'bucket', 'region', 'forcePathStyle', 'accessKeyId', 'secretAccessKey'],
    needs: ['bucket', 'accessKeyId', 'secretAccessKey'],
  },
  sftp: {
    takes: ['sshHost', 'sshPort', 'sshUser', 'hostKey', 'sftpPassword', 'sftpPrivateKey', 'sftpKeyPassphrase'],
    needs: ['sshHost', 'sshUser'],
  },
  platform_server: { takes: ['serverId'], needs: ['serverId'] },
  local: { takes: ['endpoint'], needs: ['endpoint'] },
}
const ALL = [...new Set(Object.values(OF_KIND).flatMap(({ takes }) => takes))]

/** After a change, all that the kind needs must still be there. */
export function requireComplete(kind: DestinationKind, after: Values): void {
  const missing = OF_KIND[kind].needs.find((field) => isAbsent(after[field]))
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
  const foreign = ALL.find((field) => !OF_KIND[kind].takes.includes(field) && !isAbsent(patch[field]))
  if (foreign !== undefined) throw wrong(foreign, `A destination of kind ${kind} has no ${foreign}.`)
  const form = kind === 'local' ? localEndpoint : s3Endpoint
  const checked = typeof patch.endpoint === 'string' ? form.safeParse(patch.endpoint) : undefined
  if (checked?.success === false) throw wrong('endpoint', `endpoint: ${checked.error.issues[0]?.message}`)
}

/** What a patch changes of the way a destination is reached; a secret counts, even when it is the same again. */
export function reachOf(patch: DestinationPatch, before: Values & { pathPrefix: string | null }): string[] {
  const { kind: _, name: __, isDefault: ___, ...reach } = patch
  const named = Object.entries(withoutUndefined(reach))
  return named.filter(([field, value]) => value !== before[field as Field]).map(([field]) => field)
}

const wrong = (field: string, message: string) =>
  new Refusal('invalid_request', message, { field, hint: 'See /api/docs for what each kind needs.' })
