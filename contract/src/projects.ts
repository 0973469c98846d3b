import { z } from 'zod'
import { DeploymentStatusSchema } from './deployment-status.ts'
import { endpoint } from './endpoint.ts'
import { GitCredential, NewGitCredential } from './git-credentials.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'

export const ProjectName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Cf}]+$/u, 'must not contain control characters')

const watchPaths = z.array(z.string().min(1).max(100)).max(20)
const skipWords = z.array(z.string().trim().min(1).max(100)).max(20)

export const ProjectSettings = z
  .object({
    rollbackWindow: z.number().int().min(1).max(50).default(5),
    bakeSeconds: z.number().int().min(0).max(3600).default(60),
    approveBuild: z.boolean().default(false),
    approveRelease: z.boolean().default(false),
    autoDeploy: z.boolean().default(true).meta({ description: 'a push to the branch deploys it' }),
    watchPaths: watchPaths.default([]).meta({
      description: 'globs; a push deploys only when one of these changed since the last release; `!` excludes',
    }),
    skipWords: skipWords
      .default(['[skip deploy]', '[deploy skip]', '[skip ci]', '[ci skip]'])
      .meta({ description: 'in the message of the newest commit: it is not deployed' }),
    reportStatus: z.boolean().default(true).meta({ description: 'the git host is told how deployments end' }),
  })
  .meta({ id: 'ProjectSettings' })
export type ProjectSettings = z.output<typeof ProjectSettings>

const repository = z
  .string()
  .trim()
  .max(500)
  .regex(/^(https:\/\/|ssh:\/\/|git@)[^\s\p{Cc}]+$/u, 'must be an https:// or ssh git address')
  .refine((address) => !/^https:\/\/[^/]*@/.test(address) && !/^ssh:\/\/[^/@]*:[^/@]*@/.test(address), {
    message: 'must not contain credentials',
  })

export const Project = z
  .object({
    id: idOf('prj'),
    name: z.string(),
    repository: z.string().nullable(),
    branch: z.string().nullable(),
    gitCredential: GitCredential.nullable(),
    serverId: idOf('srv').nullable(),
    target: z
      .enum(['server', 'cloud'])
      .meta({ description: 'where its deployments go that do not say it; cloud: it was promoted to the hosted cloud' }),
    settings: ProjectSettings,
    autoDeployPaused: z.boolean().meta({
      description: 'since someone went back, or a release did not hold; settings.autoDeploy: true resumes it',
    }),
    repositoryProblem: z.enum(['replaced', 'not_seen']).nullable().meta({
      description:
        'replaced: another repository has its name now, which is not deployed; not_seen: the connection to the git host does not see it any more',
    }),
    active: z
      .object({ id: idOf('dep'), number: z.number().int(), since: timestamp.nullable() })
      .nullable()
      .optional()
      .meta({ description: 'its active release here; left out for callers who may not list deployments' }),
    latest: z
      .object({ id: idOf('dep'), number: z.number().int(), status: DeploymentStatusSchema })
      .nullable()
      .optional()
      .meta({ description: 'its newest deployment here; left out as `active` is' }),
    urls: z.array(z.string()).optional().meta({ description: 'addresses of the active release' }),
    version: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Project' })
export type Project = z.output<typeof Project>

const Volume = z
  .object({
    name: z.string().meta({ description: 'as the engine knows it' }),
    key: z.string().nullable().meta({ description: 'what the project calls it' }),
    serverId: idOf('srv'),
    createdAt: z.string().nullable(),
  })
  .meta({ id: 'Volume' })

const ProjectFields = z.object({
  id: idOf('prj').optional().meta({
    description:
      'at a cloud, from an instance that is linked to it: the id of its own project; repeated, it makes no second one',
  }),
  name: ProjectName,
  repository: repository.nullable().default(null),
  branch: z.string().trim().min(1).max(250).nullable().default(null),
  gitCredential: NewGitCredential.nullable().default(null),
  serverId: idOf('srv').nullable().default(null),
  settings: ProjectSettings.partial().default({}),
})
export type NewProject = z.output<typeof ProjectFields>

/** `.partial()` would keep the defaults and so reset what the caller did not name. */
const ProjectPatch = z.object({
  name: ProjectName.optional(),
  repository: repository.nullable().optional(),
  branch: z.string().trim().min(1).max(250).nullable().optional(),
  gitCredential: NewGitCredential.nullable()
    .optional()
    .meta({ description: 'left out: stays, unless `repository` moves to another host; null: forgotten' }),
  serverId: idOf('srv').nullable().optional(),
  settings: z
    .object({
      rollbackWindow: z.number().int().min(1).max(50),
      bakeSeconds: z.number().int().min(0).max(3600),
      approveBuild: z.boolean(),
      approveRelease: z.boolean(),
      autoDeploy: z.boolean(),
      watchPaths,
      skipWords,
      reportStatus: z.boolean(),
    })
    .partial()
    .optional(),
})
export type ProjectPatch = z.output<typeof ProjectPatch>

const EnsureProject = z
  .object({ name: ProjectName.optional(), repository: repository.optional() })
  .refine((body) => body.name !== undefined || body.repository !== undefined, {
    message: 'name or repository is required',
    path: ['name'],
  })
export type EnsureProject = z.output<typeof EnsureProject>

const byId = z.object({ id: idOf('prj') })

export const projects = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects',
    summary: 'The projects of this organization, newest first',
    access: { permission: 'project:list' },
    query: PageQuery.extend({ name: z.string().max(80).optional() }),
    response: pageOf(Project),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/projects',
    summary: 'Make a project',
    access: { permission: 'project:write' },
    body: ProjectFields,
    response: Project,
    status: 201,
    example: { name: 'shop' },
  }),
  ensure: endpoint({
    method: 'POST',
    path: '/api/projects/ensure',
    summary: 'The project of this name or repository, made if there is none yet',
    access: { permission: 'project:write' },
    body: EnsureProject,
    response: z.object({ success: z.literal(true), created: z.boolean(), project: Project }),
    example: { name: 'shop' },
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/projects/:id',
    summary: 'One project',
    access: { permission: 'project:read' },
    params: byId,
    response: Project,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/projects/:id',
    summary: 'Change a project; fields left out stay as they are',
    access: { permission: 'project:write' },
    params: byId,
    body: ProjectPatch,
    response: Project,
    example: { settings: { rollbackWindow: 8 } },
  }),
  volumes: endpoint({
    method: 'GET',
    path: '/api/projects/:id/volumes',
    summary: 'Where the services of a project keep their data: what a deletion keeps or takes along',
    access: { permission: 'project:read' },
    params: byId,
    response: z.object({ data: z.array(Volume) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id',
    summary: 'Delete a project with its settings, services and variables; its volumes only when that is said',
    access: { permission: 'project:admin' },
    params: byId,
    query: z.object({ volumes: z.enum(['keep', 'delete']).default('keep') }),
    response: Done,
  }),
} as const
