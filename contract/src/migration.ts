import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { MigrationStack } from './migration-shape.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { ProjectName } from './projects.ts'

const serverId = idOf('srv')

/** What a project may use of a server that is not its own: made by adoption, and by nothing else. */
export const MountGrant = z
  .object({
    id: idOf('gnt'),
    serverId,
    kind: z.enum(['volume', 'path']),
    source: z.string().meta({ description: 'the name of the volume, or the path on the server' }),
    writable: z.boolean(),
    createdBy: z.string(),
    createdAt: timestamp,
    revokedBy: z.string().nullable(),
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'MountGrant' })
export type MountGrant = z.output<typeof MountGrant>

const AdoptedWarning = z.object({
  service: z.string().nullable(),
  key: z.string().meta({ description: 'as compose files call it' }),
  message: z.string(),
})
export type AdoptedWarning = z.output<typeof AdoptedWarning>

export const migration = {
  scan: endpoint({
    method: 'POST',
    path: '/api/migration/scan',
    summary:
      'Look at what runs on a server: stacks, containers, volumes, and what could be adopted; nothing is changed',
    access: { permission: 'server:write' },
    only: 'self_hosted',
    body: z.object({
      serverId,
      sizes: z
        .boolean()
        .default(false)
        .meta({ description: 'also how large each volume is, which takes the server some work' }),
    }),
    response: z.object({ success: z.literal(true), stack: MigrationStack }),
    example: { serverId: 'srv_01k2v9r6c8h3n5q7s9t0w2x4y6' },
    neverKept: true,
  }),
  adopt: endpoint({
    method: 'POST',
    path: '/api/migration/adopt',
    summary:
      'Record services of a server as a project, with their data where it is; nothing is changed there, and nothing deployed',
    access: { permission: 'server:write' },
    only: 'self_hosted',
    body: z.object({
      serverId,
      projectName: ProjectName,
      serviceNames: z
        .array(z.string().min(1).max(1000))
        .min(1)
        .max(200)
        .meta({ description: 'keys as a scan tells them, or names where only one service has them' }),
    }),
    response: z.object({
      success: z.literal(true),
      project: z.object({ id: idOf('prj'), name: z.string(), services: z.array(z.string()) }),
      reusedVolumes: z.array(z.string()),
      warnings: z.array(AdoptedWarning).meta({ description: 'what is not as it was on the server' }),
    }),
    example: { serverId: 'srv_01k2v9r6c8h3n5q7s9t0w2x4y6', projectName: 'blog', serviceNames: ['compose/blog/web'] },
  }),
  grants: endpoint({
    method: 'GET',
    path: '/api/projects/:id/grants',
    summary: 'What a project may use of servers that is not its own',
    access: { permission: 'project:read' },
    only: 'self_hosted',
    params: z.object({ id: idOf('prj') }),
    query: PageQuery,
    response: pageOf(MountGrant),
  }),
  revokeGrant: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/grants/:grantId',
    summary: 'Take a grant back: the next deployment that needs it is refused; needs server:write as well',
    access: { permission: 'project:admin' },
    only: 'self_hosted',
    params: z.object({ id: idOf('prj'), grantId: idOf('gnt') }),
    response: Done,
  }),
} as const
