import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'

const MEGABYTE = 1024 * 1024
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
  .meta({ example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' })

/** Paths are checked in one place on the server, for both ways of uploading, so that refusals read the same. */
const path = z.string().min(1).max(4096)

export const FolderFile = z.union([
  z.object({
    path,
    sha256,
    size: z.number().int().min(0),
    mode: z.number().int().min(0).max(0o777).default(0o644),
  }),
  z.object({ path, link: z.string().min(1).max(4096).meta({ description: 'target of a symbolic link' }) }),
])
export type FolderFile = z.output<typeof FolderFile>

/** Where it is meant to be deployed: `local` on servers of the instance that is asked, `cloud` on a hosted cloud. */
const mode = z.enum(['local', 'cloud'])

export const FolderSession = z
  .object({
    uploadSessionId: idOf('upl'),
    mode,
    state: z.enum(['open', 'sealed']),
    files: z.number().int(),
    bytes: z.number().int(),
    missing: z.array(sha256),
    limits: z.object({ files: z.number().int(), fileBytes: z.number().int(), totalBytes: z.number().int() }),
    expiresAt: timestamp,
  })
  .meta({ id: 'FolderSession' })
export type FolderSession = z.output<typeof FolderSession>

const byId = z.object({ id: idOf('upl') })

export const folderSessions = {
  create: endpoint({
    method: 'POST',
    path: '/api/projects/folder-sessions',
    summary:
      'Begin a folder upload: announce the files, learn which contents are missing here; or send it whole as one gzip-compressed tar file, which is sealed at once',
    access: { permission: 'project:write' },
    query: z.object({
      mode: mode.optional().meta({ description: 'for an archive, which has no other place to say it' }),
    }),
    body: z.object({ files: z.array(FolderFile).min(1), mode: mode.optional() }),
    orStream: 'application/gzip',
    response: FolderSession,
    status: 201,
    example: { files: [{ path: 'index.html', sha256: sha256.meta()?.example, size: 0, mode: 0o644 }] },
    bodyLimit: 32 * MEGABYTE,
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/projects/folder-sessions/:id',
    summary: 'What a folder upload still lacks',
    access: { permission: 'project:read' },
    params: byId,
    response: FolderSession,
  }),
  putBlob: endpoint({
    method: 'PUT',
    path: '/api/projects/folder-sessions/:id/blobs/:sha',
    summary: 'Upload the content with this SHA-256; may be repeated',
    access: { permission: 'project:write' },
    params: z.object({ id: idOf('upl'), sha: sha256 }),
    body: { stream: 'application/octet-stream' },
    response: z.object({ success: z.literal(true), stored: z.boolean() }),
    unlimited: 'bounded by what its session announced',
    unaudited: 'part of a folder upload, which is audited when it begins and when it is sealed',
  }),
  putBlobs: endpoint({
    method: 'POST',
    path: '/api/projects/folder-sessions/:id/blobs',
    summary:
      'Upload many contents at once: a gzip-compressed tar file whose entries are named by their SHA-256. Each is kept as it arrives, also when the rest does not',
    access: { permission: 'project:write' },
    params: byId,
    body: { stream: 'application/gzip' },
    response: z.object({ success: z.literal(true), received: z.number().int() }),
    unlimited: 'bounded by what its session announced',
    unaudited: 'part of a folder upload, which is audited when it begins and when it is sealed',
  }),
  seal: endpoint({
    method: 'POST',
    path: '/api/projects/folder-sessions/:id/seal',
    summary: 'Finish a folder upload: it is complete and can be deployed',
    access: { permission: 'project:write' },
    params: byId,
    response: FolderSession,
  }),
} as const
