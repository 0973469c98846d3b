import { z } from 'zod'
import { splitCommand } from './command-line.ts'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { IMAGE_REFERENCE, IMAGE_WORDS } from './image-reference.ts'
import { Done, PageQuery, pageOf } from './pages.ts'

export const ServiceName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/, 'must be lower case letters, digits, - or _, at most 63')
  .meta({ example: 'web' })

export const EnvironmentName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and _, not starting with a digit')
  .meta({ example: 'DATABASE_URL' })

export const inTree = z
  .string()
  .max(500)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0'), {
    message: 'must be a path inside the source',
  })
export const ImageReference = z.string().max(500).regex(IMAGE_REFERENCE, IMAGE_WORDS).meta({ example: 'nginx:1.29' })

const commandLine = z.string().max(10_000)
const argv = z
  .union([
    commandLine.refine((line) => splitCommand(line)?.length, 'must have a word, and close its quotes'),
    z.array(commandLine).max(200),
  ])
  .meta({
    description:
      'a list is taken as it is; a string is split at spaces, with quotes and backslashes as in a shell, and no shell runs: $NAME, | and * stay as they are',
  })

/** How one service is built and run. `environment` values are sealed; answers only carry their names. */
export const ServiceConfig = z
  .object({
    image: ImageReference.optional(),
    build: z
      .union([
        inTree,
        z.object({
          context: inTree,
          dockerfile: inTree.optional(),
          target: z
            .string()
            .max(200)
            .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must be the name of a stage')
            .optional(),
          args: z.record(EnvironmentName, z.string().max(65_536)).optional(),
        }),
      ])
      .optional(),
    dockerfile: inTree.optional(),
    rootDirectory: inTree.optional(),
    installCommand: z.string().max(2000).optional(),
    buildCommand: z.string().max(2000).optional(),
    startCommand: z.string().max(2000).optional(),
    outputDirectory: inTree.optional(),
    command: argv.optional(),
    port: z.number().int().min(1).max(65535).optional(),
    exposed: z.boolean().optional(),
    ports: z
      .array(z.union([z.number().int().min(1).max(65535), z.string().max(100)]))
      .max(50)
      .optional(),
    dependsOn: z.array(ServiceName).max(50).optional(),
    volumes: z.array(z.string().max(500)).max(50).optional(),
    replicas: z.number().int().min(0).max(100).optional(),
    restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
    healthcheck: z
      .object({
        path: z.string().max(500).optional(),
        command: argv.optional(),
        intervalMs: z.number().int().min(500).max(600_000).optional(),
        timeoutMs: z.number().int().min(100).max(600_000).optional(),
        retries: z.number().int().min(1).max(100).optional(),
        startPeriodMs: z.number().int().min(0).max(3_600_000).optional(),
      })
      .optional(),
    memoryMb: z.number().int().min(6).max(1_048_576).optional(),
    cpus: z.number().min(0.01).max(1024).optional(),
  })
  .meta({ id: 'ServiceConfig' })
export type ServiceConfig = z.output<typeof ServiceConfig>

export const Service = z
  .object({
    name: ServiceName,
    config: ServiceConfig,
    environment: z.array(z.string()).meta({ description: 'names of its variables; values are never shown here' }),
    updatedAt: timestamp,
  })
  .meta({ id: 'Service' })

export const VariableScope = z.enum(['all', 'build', 'runtime'])

export const Variable = z
  .object({
    name: z.string(),
    service: z.string().nullable().meta({ description: 'null: every service of the project' }),
    scope: VariableScope,
    updatedAt: timestamp,
  })
  .meta({ id: 'Variable' })

const SetVariable = z.object({
  name: EnvironmentName,
  value: z.string().max(65_536),
  service: ServiceName.nullable().default(null),
  scope: VariableScope.default('all'),
})
export type SetVariable = z.output<typeof SetVariable>

const ofProject = z.object({ id: idOf('prj') })
const byName = z.object({ id: idOf('prj'), name: ServiceName })

export const services = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:id/services',
    summary: 'The services of a project',
    access: { permission: 'project:read' },
    params: ofProject,
    query: PageQuery,
    response: pageOf(Service),
  }),
  put: endpoint({
    method: 'PUT',
    path: '/api/projects/:id/services/:name',
    summary: 'Describe a service; `environment` replaces its variables when given',
    access: { permission: 'project:write' },
    params: byName,
    body: ServiceConfig.extend({ environment: z.record(EnvironmentName, z.string().max(65_536)).optional() }),
    response: Service,
    example: { build: '.', port: 3000, healthcheck: { path: '/healthz' } },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/services/:name',
    summary: 'Remove a service and its variables from the project',
    access: { permission: 'project:admin' },
    params: byName,
    response: Done,
  }),
} as const

export const variables = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:id/variables',
    summary: 'The names of the environment variables; values stay sealed',
    access: { permission: 'project:read' },
    params: ofProject,
    query: PageQuery,
    response: pageOf(Variable),
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/projects/:id/variables',
    summary: 'Set environment variables; ones not named stay as they are',
    access: { permission: 'project:write' },
    params: ofProject,
    body: z.object({ variables: z.array(SetVariable).min(1).max(500) }),
    response: z.object({ success: z.literal(true), variables: z.array(Variable) }),
    example: { variables: [{ name: 'DATABASE_URL', value: 'postgres://…', scope: 'runtime' }] },
    bodyLimit: 8 * 1024 * 1024,
  }),
  reveal: endpoint({
    method: 'POST',
    path: '/api/projects/:id/variables/reveal',
    summary: 'The values of the environment variables; leaves an audit entry',
    access: { permission: 'project:admin' },
    params: ofProject,
    response: z.object({
      success: z.literal(true),
      variables: z.array(Variable.extend({ value: z.string() })),
    }),
    neverKept: true,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/variables/:name',
    summary: 'Remove an environment variable',
    access: { permission: 'project:write' },
    params: z.object({ id: idOf('prj'), name: EnvironmentName }),
    query: z.object({ service: ServiceName.optional() }),
    response: Done,
  }),
} as const
