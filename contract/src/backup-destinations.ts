import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'

export const DESTINATION_KINDS = ['s3_compatible', 'sftp', 'platform_server', 'local'] as const
export type DestinationKind = (typeof DESTINATION_KINDS)[number]

/** Characters are what people count: an emoji is one of them. */
const MOST = 80
/** Spaces, and what is not seen at all; the last one is an empty pattern of Braille. */
const INVISIBLE = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const name = z
  .string()
  .trim()
  .refine((text) => !INVISIBLE.test(text), 'must not be blank')
  .refine((text) => [...text].length <= MOST, `must have at most ${MOST} characters`)
  .meta({ minLength: 1, maxLength: MOST })
const bucket = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'must be the name of a bucket')
  .meta({ example: 'backups' })
const region = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the name of a region')
  .meta({ example: 'eu-central-1' })
const url = z
  .string()
  .max(500)
  .refine(isPlainUrl, 'must be an http:// or https:// address without user, query or fragment')
  .meta({ description: 'an http or https address; left out: Amazon itself' })
const path = z
  .string()
  .max(1000)
  .regex(/^\/[^\p{Cc}\\]*$/u, 'must be an absolute path')
  .meta({
    example: '/srv/backups/shop',
    description: 'a folder of this machine that resolves inside BACKUP_LOCAL_ROOT',
  })
const host = z
  .string()
  .trim()
  .max(253)
  .regex(/^[A-Za-z0-9:]([A-Za-z0-9.:_-]*[A-Za-z0-9:])?$/, 'must be a host name or an address')
  .meta({ example: 'u1.storage.example.com' })
const port = z.number().int().min(1).max(65535)
const user = z
  .string()
  .max(128)
  .regex(/^[^\s/:]+$/, 'must be a user name')
  .meta({ example: 'backup' })
const hostKey = z
  .string()
  .max(200)
  .regex(/^[a-z0-9@.-]+ SHA256:[A-Za-z0-9+/]{43}$/, 'must be a key type and fingerprint, as `ssh-keygen -l` shows')
  .meta({ example: 'ssh-ed25519 SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU' })
const pathPrefix = z
  .string()
  .max(500)
  .refine(isPlain, 'must be names separated by single slashes, without . or ..')
  .meta({ example: 'slipway/shop', description: 'below which everything lies; SFTP: absolute with a leading slash' })
const secret = (most: number) => z.string().min(1).max(most)
const accessKeyId = secret(256).meta({ example: 'EXAMPLEKEY' })
const secretAccessKey = secret(256).meta({ example: 'the secret of that key' })
const password = secret(1000)
const privateKey = secret(20_000).meta({ description: 'in OpenSSH or PEM form' })

/** One slash may begin it and one may end it; in between are names. */
function isPlain(text: string): boolean {
  if (text === '') return true
  const names = text.replace(/^\//, '').replace(/\/$/, '').split('/')
  return names.every((one) => /^[^\p{Cc}\\]+$/u.test(one) && one !== '.' && one !== '..') || text === '/'
}

function isPlainUrl(text: string): boolean {
  const parsed = URL.parse(text)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\//i.test(text)) return false
  return parsed.username === '' && parsed.password === '' && !/[?#\s\p{Cc}]/u.test(text)
}

/** What only a certain kind has is checked when it is known which one it is. */
export const s3Endpoint = url
export const localEndpoint = path

export const VERIFY_STEPS = ['connect', 'auth', 'write', 'read', 'delete'] as const
export type VerifyStep = (typeof VERIFY_STEPS)[number]

export const VerifiedStep = z
  .object({ step: z.enum(VERIFY_STEPS), ok: z.boolean(), ms: z.number().int() })
  .meta({ id: 'VerifiedStep' })
export type VerifiedStep = z.output<typeof VerifiedStep>

export const BackupDestination = z
  .object({
    id: idOf('dst'),
    name: z.string(),
    kind: z.enum(DESTINATION_KINDS),
    endpoint: z.string().nullable(),
    bucket: z.string().nullable(),
    region: z.string().nullable(),
    forcePathStyle: z.boolean().nullable(),
    sshHost: z.string().nullable(),
    sshPort: z.number().int().nullable(),
    sshUser: z.string().nullable(),
    hostKey: z.string().nullable().meta({ description: 'SFTP: pinned by the first successful preflight' }),
    serverId: idOf('srv').nullable(),
    pathPrefix: z.string().nullable(),
    isDefault: z.boolean(),
    hasAccessKeyId: z.boolean(),
    hasSecretAccessKey: z.boolean(),
    hasSftpPassword: z.boolean(),
    hasSftpPrivateKey: z.boolean(),
    hasSftpKeyPassphrase: z.boolean(),
    lastVerifiedAt: timestamp.nullable().meta({ description: 'when a preflight last succeeded' }),
    lastVerifyError: z.string().nullable().meta({ description: 'why the last preflight failed; null: it did not' }),
    lastVerifySteps: z
      .array(VerifiedStep)
      .nullable()
      .meta({ description: 'what the last preflight did, and how long' }),
    brokenSince: timestamp.nullable().meta({ description: 'the first failure since it last worked' }),
    version: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'BackupDestination' })
export type BackupDestination = z.output<typeof BackupDestination>

const always = { name, pathPrefix: pathPrefix.nullish(), isDefault: z.boolean().default(false) }

/** What each kind has beside these. */
const own = {
  s3_compatible: {
    bucket,
    accessKeyId,
    secretAccessKey,
    region: region.nullish(),
    endpoint: url.nullish(),
    forcePathStyle: z.boolean().nullish().meta({ description: 'left out: true where an endpoint is given' }),
  },
  sftp: {
    sshHost: host,
    sshPort: port.nullable().default(22),
    sshUser: user,
    sftpPassword: password.nullish().meta({ example: 'a password', description: 'this or sftpPrivateKey' }),
    sftpPrivateKey: privateKey.nullish(),
    sftpKeyPassphrase: password.nullish(),
    hostKey: hostKey.nullish(),
  },
  platform_server: { serverId: idOf('srv') },
  local: { endpoint: path },
} satisfies Record<DestinationKind, z.ZodRawShape>

type Shapes = typeof own
export type KindField = { [K in DestinationKind]: keyof Shapes[K] }[DestinationKind]
export const KIND_FIELDS = [...new Set(Object.values(own).flatMap(Object.keys))] as KindField[]
export const hasField = (kind: DestinationKind, field: KindField): boolean => field in own[kind]

/** A field of another kind: passed over, it would look as if it had been taken. null is as good as left out. */
function foreign(kind: DestinationKind): Record<never, never> {
  const refused = z.null(`must be left out: a destination of kind ${kind} has none`).optional()
  return Object.fromEntries(KIND_FIELDS.filter((field) => !hasField(kind, field)).map((field) => [field, refused]))
}

const NewDestination = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('s3_compatible'), ...always, ...own.s3_compatible, ...foreign('s3_compatible') }),
    z
      .object({ kind: z.literal('sftp'), ...always, ...own.sftp, ...foreign('sftp') })
      .meta({ anyOf: [{ required: ['sftpPassword'] }, { required: ['sftpPrivateKey'] }] }),
    z.object({
      kind: z.literal('platform_server'),
      ...always,
      ...own.platform_server,
      ...foreign('platform_server'),
    }),
    z.object({ kind: z.literal('local'), ...always, ...own.local, ...foreign('local') }),
  ],
  { error: unsupported },
)
export type NewDestination = z.output<typeof NewDestination>

/** `undefined` leaves zod's own words. */
function unsupported(issue: { code?: string | undefined }): string | undefined {
  if (issue.code !== 'invalid_union') return undefined
  return `must be one of ${DESTINATION_KINDS.join(', ')}; http_upload is not supported`
}

const DestinationPatch = z.object({
  kind: z.string().max(40).optional().meta({ description: 'cannot change; taken when it is the same' }),
  name: name.optional(),
  isDefault: z.boolean().optional(),
  pathPrefix: pathPrefix.nullish(),
  endpoint: z.string().max(1000).nullish(),
  bucket: bucket.nullish(),
  region: region.nullish(),
  forcePathStyle: z.boolean().nullish(),
  accessKeyId: accessKeyId.nullish(),
  secretAccessKey: secretAccessKey.nullish(),
  sshHost: host.nullish(),
  sshPort: port.nullish(),
  sshUser: user.nullish(),
  hostKey: hostKey.nullish().meta({ description: 'null: forget it, the next preflight that succeeds pins anew' }),
  sftpPassword: password.nullish(),
  sftpPrivateKey: privateKey.nullish(),
  sftpKeyPassphrase: password.nullish(),
  serverId: idOf('srv').nullish(),
})
export type DestinationPatch = z.output<typeof DestinationPatch>

const byId = z.object({ id: idOf('dst') })

export const backupDestinations = {
  list: endpoint({
    method: 'GET',
    path: '/api/backup-destinations',
    summary: 'Where backups of this organization may go; secrets are never shown',
    access: { permission: 'backup_destination:list' },
    query: PageQuery,
    response: pageOf(BackupDestination),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/backup-destinations',
    summary: 'Add a destination: a bucket, an SFTP server, a server of yours, a folder of this machine',
    access: { permission: 'backup_destination:write' },
    body: NewDestination,
    response: BackupDestination,
    status: 201,
    example: { kind: 'platform_server', name: 'offsite', serverId: 'srv_01k2v9r6c8h3n5q7s9t0w2x4y6' },
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/backup-destinations/:id',
    summary: 'One destination and how its last preflight went',
    access: { permission: 'backup_destination:read' },
    params: byId,
    response: BackupDestination,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/backup-destinations/:id',
    summary: 'Change a destination: a secret left out stays, null takes it away, a text replaces it',
    access: { permission: 'backup_destination:write' },
    params: byId,
    body: DestinationPatch,
    response: BackupDestination,
    example: { name: 'offsite 2' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/backup-destinations/:id',
    summary: 'Forget a destination; nothing that lies there is touched',
    access: { permission: 'backup_destination:admin' },
    params: byId,
    response: Done,
  }),
  preflight: endpoint({
    method: 'POST',
    path: '/api/backup-destinations/:id/preflight',
    summary: 'Write, read back and delete a probe there now, within 20 seconds',
    access: { permission: 'backup_destination:write' },
    params: byId,
    response: z.object({
      ok: z.boolean(),
      reason: z.string().optional().meta({ description: 'the step that failed, why, and what to do' }),
    }),
    neverKept: true,
  }),
} as const
