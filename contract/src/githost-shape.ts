import { z } from 'zod'
import { idOf, timestamp } from './ids.ts'

export const GITHOST_SOURCES = ['app', 'oauth', 'cli'] as const
export const GithostSource = z
  .enum(GITHOST_SOURCES)
  .meta({ id: 'GithostSource', description: 'installation, OAuth account, or the login of this machine’s `gh`' })
export type GithostSource = z.output<typeof GithostSource>

export const GithostState = z.enum(['disconnected', 'app', 'oauth', 'cli', 'mixed']).meta({ id: 'GithostState' })
export type GithostState = z.output<typeof GithostState>

export const GithostAccount = z
  .object({
    login: z.string(),
    type: z.enum(['user', 'organization']),
    avatarUrl: z.string().nullable(),
    installationId: z.number().int().nullable(),
    source: GithostSource,
  })
  .meta({ id: 'GithostAccount' })
export type GithostAccount = z.output<typeof GithostAccount>

export const GithostProblem = z
  .object({
    source: GithostSource,
    code: z.enum(['broken', 'suspended', 'permissions_missing', 'webhook_silent']),
    message: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'GithostProblem' })
export type GithostProblem = z.output<typeof GithostProblem>

export const GithostRepository = z
  .object({
    id: z.number().int().meta({ description: 'the host’s own number; it stays when the name changes' }),
    owner: z.string(),
    name: z.string(),
    fullName: z.string(),
    private: z.boolean(),
    defaultBranch: z.string(),
    description: z.string().nullable(),
    pushedAt: timestamp,
    language: z.string().nullable(),
    cloneUrl: z.string(),
    htmlUrl: z.string(),
    permissions: z.record(z.string(), z.boolean()),
    source: GithostSource,
  })
  .meta({ id: 'GithostRepository' })
export type GithostRepository = z.output<typeof GithostRepository>

export const GithostListing = z
  .object({
    state: z.enum(['current', 'filling', 'stale']).meta({
      description: 'filling: listed for the first time, more follows; stale: the host could not be asked again in time',
    }),
    listedAt: timestamp.nullable(),
  })
  .meta({ id: 'GithostListing' })
export type GithostListing = z.output<typeof GithostListing>

export const GithostBranch = z
  .object({ name: z.string(), commitSha: z.string(), isDefault: z.boolean(), protected: z.boolean() })
  .meta({ id: 'GithostBranch' })
export type GithostBranch = z.output<typeof GithostBranch>

/** How pushes to a repository are learned of. */
export const PUSH_WAYS = z.enum(['app', 'hook', 'relay', 'poll']).meta({
  description:
    'app: the app’s own hook; hook: one of the repository; relay: the hosted cloud passes them on; poll: the host is asked',
})

export const GithostRepositoryDetail = GithostRepository.extend({
  linkedProjects: z.array(z.object({ id: idOf('prj'), name: z.string() })),
  push: z.object({ via: PUSH_WAYS, lastDeliveryAt: timestamp.nullable() }),
  branches: z.array(GithostBranch).optional(),
  branchesTruncated: z.boolean().optional(),
}).meta({ id: 'GithostRepositoryDetail' })
export type GithostRepositoryDetail = z.output<typeof GithostRepositoryDetail>

export const GithostFile = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'dir', 'symlink', 'submodule']),
    size: z.number().int().nullable(),
    sha: z.string(),
  })
  .meta({ id: 'GithostFile' })
export type GithostFile = z.output<typeof GithostFile>

export const GithostContent = z
  .object({
    path: z.string(),
    branch: z.string(),
    sha: z.string(),
    size: z.number().int(),
    encoding: z.enum(['json', 'utf8', 'base64']),
    content: z.unknown().meta({ description: 'parsed where encoding is json, otherwise a text' }),
    parseError: z.string().optional(),
  })
  .meta({ id: 'GithostContent' })
export type GithostContent = z.output<typeof GithostContent>

export const GithostHook = z
  .object({
    hookId: z.number().int(),
    url: z.string(),
    active: z.boolean(),
    events: z.array(z.string()),
    ours: z.boolean(),
    lastResponse: z.object({ code: z.number().int().nullable(), status: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'GithostHook' })
export type GithostHook = z.output<typeof GithostHook>

/** What the client reacts to; which members are there depends on `flow`. */
export const GithostConnect = z
  .object({
    connected: z.boolean(),
    flow: z.enum(['redirect', 'device_code', 'terminal']).optional(),
    url: z.string().optional().meta({ description: 'redirect: to be opened in the browser' }),
    userCode: z.string().optional(),
    verificationUri: z.string().optional(),
    expiresIn: z.number().int().optional(),
    interval: z.number().int().optional(),
    command: z.string().optional().meta({ description: 'terminal: to be run where Slipway runs' }),
    message: z.string().optional(),
    alternatives: z.array(z.enum(['app', 'manifest', 'oauth', 'cli', 'cloud'])),
  })
  .meta({ id: 'GithostConnect' })
export type GithostConnect = z.output<typeof GithostConnect>

export const GithostAttempt = z
  .object({
    status: z.enum(['none', 'pending', 'connected', 'denied', 'expired', 'failed']),
    flow: z.enum(['redirect', 'device_code']).nullable(),
    userCode: z.string().nullable(),
    verificationUri: z.string().nullable(),
    expiresAt: timestamp.nullable(),
    login: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'GithostAttempt' })
export type GithostAttempt = z.output<typeof GithostAttempt>
