import { z } from 'zod'
import { endpoint, MODES } from './endpoint.ts'
import {
  GithostAccount,
  GithostAttempt,
  GithostBranch,
  GithostConnect,
  GithostContent,
  GithostFile,
  GithostHook,
  GithostListing,
  GithostProblem,
  GithostRepository,
  GithostRepositoryDetail,
  GithostState,
  PUSH_WAYS,
} from './githost-shape.ts'
import { timestamp } from './ids.ts'
import { Done, pageOf } from './pages.ts'

/** Where the routes of the area lie, and those of one repository. */
const AT = '/api/githost'
const REPO = `${AT}/repos/:owner/:repo` as const

const login = z.string().max(100).meta({ example: 'acme' })
const repository = z.object({ owner: login, repo: z.string().max(100).meta({ example: 'shop' }) })
const branch = z.string().min(1).max(250).optional()
const listed = pageOf(GithostRepository).extend({ listing: GithostListing })

export const GithostPageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(600).optional(),
})

export const ListRepositories = GithostPageQuery.extend({
  owner: z.string().min(1).max(100).optional(),
  q: z.string().max(100).optional().meta({
    description: 'part of a name; a page may hold fewer than limit, or none: the list ends where nextCursor is null',
  }),
})
export type ListRepositories = z.output<typeof ListRepositories>

export const NewRepository = z.object({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^(?!\.{1,2}$)[\w.-]+$/, 'must have letters, digits, dots, dashes and underscores only'),
  private: z.boolean().default(true),
  owner: z
    .string()
    .max(100)
    .regex(/^[\w-]+$/, 'must be an account of the git host')
    .optional()
    .meta({ description: 'left out: the only account there is' }),
})
export type NewRepository = z.output<typeof NewRepository>

const Connect = z.object({
  source: z
    .enum(['app', 'manifest', 'oauth', 'cli', 'cloud'])
    .optional()
    .meta({ description: 'left out: the server picks' }),
  account: z
    .string()
    .max(100)
    .regex(/^[\w-]+$/, 'must be an organization of the git host')
    .optional()
    .meta({ description: 'manifest: the organization that is to own the app; left out: the person' }),
})
export type Connect = z.output<typeof Connect>

const disconnectable = z.enum(['oauth', 'cli', 'all'])

const connection = {
  status: endpoint({
    method: 'GET',
    path: `${AT}/status`,
    summary: 'Whether and how this organization is connected to the git host, and what is wrong with it',
    access: { permission: 'githost:read' },
    response: z.object({
      state: GithostState,
      accounts: z.array(GithostAccount),
      installUrl: z.string().nullable().meta({ description: 'where the app is installed on further accounts' }),
      cloudUnreachable: z.boolean(),
      mode: z.enum(MODES),
      host: z.string(),
      problems: z.array(GithostProblem),
    }),
  }),
  home: endpoint({
    method: 'GET',
    path: `${AT}/home`,
    summary: 'The connection, its accounts and the repositories that were pushed to last',
    access: { permission: 'githost:read' },
    query: GithostPageQuery,
    response: z.object({
      state: GithostState,
      accounts: z.array(GithostAccount),
      repos: z.array(GithostRepository),
      nextCursor: z.string().nullable(),
      listing: GithostListing.nullable(),
    }),
  }),
  localStatus: endpoint({
    method: 'GET',
    path: `${AT}/local-status`,
    summary: 'Whether the git host’s own program is signed in on this machine, and for this organization',
    access: { permission: 'githost:read' },
    only: 'self_hosted',
    response: z.object({
      available: z.boolean(),
      version: z.string().nullable(),
      loggedIn: z.boolean(),
      login: z.string().nullable(),
      host: z.string(),
      scopes: z.array(z.string()),
      reason: z.string().nullable(),
    }),
  }),
  poll: endpoint({
    method: 'GET',
    path: `${AT}/connect/poll`,
    summary: 'How the newest connect of the caller stands',
    access: { permission: 'githost:read' },
    only: 'self_hosted',
    response: GithostAttempt,
  }),
  connect: endpoint({
    method: 'POST',
    path: `${AT}/connect`,
    summary: 'Begin to connect: opens a page, shows a code, or names a command',
    access: { permission: 'githost:write' },
    body: Connect,
    response: GithostConnect,
    example: {},
    neverKept: true,
  }),
  redirect: endpoint({
    method: 'GET',
    path: `${AT}/connect/redirect`,
    summary: 'Where the browser begins to connect, and where the git host sends it back to',
    access: { public: 'the browser comes here without a session; state and cookie say whose attempt it is' },
    response: { stream: 'text/html' },
    perMinute: 120,
  }),
  disconnect: endpoint({
    method: 'POST',
    path: `${AT}/disconnect`,
    summary: 'Forget the credentials of a source; nothing is uninstalled at the git host',
    access: { permission: 'githost:admin' },
    query: z.object({ source: disconnectable.optional() }),
    body: z.object({ source: disconnectable.optional() }),
    response: z.object({ success: z.literal(true), disconnected: z.array(z.string()), state: GithostState }),
    example: { source: 'all' },
  }),
}

const repositories = {
  list: endpoint({
    method: 'GET',
    path: `${AT}/repos`,
    summary: 'The repositories that the caller’s role may see, pushed to last first',
    access: { permission: 'githost:list' },
    query: ListRepositories,
    response: listed,
  }),
  create: endpoint({
    method: 'POST',
    path: `${AT}/repos`,
    summary: 'Make a repository at the git host',
    access: { permission: 'githost:write' },
    body: NewRepository,
    response: z.object({ data: GithostRepository }),
    status: 201,
    example: { name: 'shop' },
  }),
  ofOrganization: endpoint({
    method: 'GET',
    path: `${AT}/orgs/:org/repos`,
    summary: 'The repositories of one organization of the git host',
    access: { permission: 'githost:list' },
    params: z.object({ org: login }),
    query: GithostPageQuery.extend({ q: z.string().max(100).optional() }),
    response: listed,
  }),
  show: endpoint({
    method: 'GET',
    path: REPO,
    summary: 'One repository, the projects that deploy it, and how its pushes are learned of',
    access: { permission: 'githost:read' },
    params: repository,
    query: z.object({ branches: z.enum(['true', 'false']).default('false') }),
    response: GithostRepositoryDetail,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: REPO,
    summary: 'Delete a repository at the git host, for good',
    access: { permission: 'githost:admin' },
    params: repository,
    response: Done.extend({ projects: z.array(z.string()).meta({ description: 'that were deployed from it' }) }),
  }),
  branches: endpoint({
    method: 'GET',
    path: `${REPO}/branches`,
    summary: 'Branches of a repository',
    access: { permission: 'githost:list' },
    params: repository,
    query: GithostPageQuery,
    response: pageOf(GithostBranch),
  }),
  cloneToken: endpoint({
    method: 'GET',
    path: `${REPO}/clone-token`,
    summary: 'A token that reads this repository for less than an hour, and how to clone with it',
    access: { permission: 'githost:read' },
    params: repository,
    response: z.object({ token: z.string(), cloneUrl: z.string(), command: z.string(), expiresAt: timestamp }),
    neverKept: true,
  }),
}

const contents = {
  files: endpoint({
    method: 'GET',
    path: `${REPO}/files`,
    summary: 'What lies in a folder of a repository',
    access: { permission: 'githost:list' },
    params: repository,
    query: z.object({ path: z.string().max(4096).default(''), branch }),
    response: z.object({
      path: z.string(),
      branch: z.string(),
      commitSha: z.string(),
      data: z.array(GithostFile),
      truncated: z.boolean(),
    }),
  }),
  file: endpoint({
    method: 'GET',
    path: `${REPO}/file`,
    summary: 'One file of a repository; JSON is parsed',
    access: { permission: 'githost:read' },
    params: repository,
    query: z.object({ file: z.string().min(1).max(4096).default('package.json'), branch }),
    response: GithostContent,
  }),
}

const hooks = {
  hooks: endpoint({
    method: 'GET',
    path: `${REPO}/webhooks`,
    summary: 'Hooks of a repository, and whether the app covers it',
    access: { permission: 'githost:list' },
    params: repository,
    response: z.object({
      data: z.array(GithostHook),
      app: z.object({ covers: z.boolean(), lastDeliveryAt: timestamp.nullable() }).nullable(),
    }),
  }),
  addHook: endpoint({
    method: 'POST',
    path: `${REPO}/webhooks`,
    summary: 'See to it that pushes are learned of: by the app, by a hook, or by asking',
    access: { permission: 'githost:write' },
    params: repository,
    response: z.object({
      success: z.literal(true),
      hookId: z.number().int().nullable(),
      created: z.boolean(),
      via: PUSH_WAYS,
    }),
  }),
  removeHook: endpoint({
    method: 'DELETE',
    path: `${REPO}/webhooks`,
    summary: 'Take a hook away',
    access: { permission: 'githost:admin' },
    params: repository,
    body: z.object({ hookId: z.number().int().positive() }),
    response: Done,
    example: { hookId: 1 },
  }),
}

export const githost = { ...connection, ...repositories, ...contents, ...hooks } as const
