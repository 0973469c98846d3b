import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { HostName, PathPrefix } from './host-names.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { ServiceName } from './services.ts'

export const Domain = z
  .object({
    host: z.string(),
    kind: z.enum(['free', 'custom']),
    service: z.string(),
    port: z.number().int().nullable().meta({ description: 'null: wherever the service listens' }),
    targetPath: z.string().nullable().meta({ description: 'only this path and what is below it' }),
    live: z.boolean().meta({ description: 'the edge leads it to the active release' }),
    createdAt: timestamp,
  })
  .meta({ id: 'Domain' })
export type Domain = z.output<typeof Domain>

const NewDomain = z.object({
  host: HostName,
  service: ServiceName.default('web'),
  port: z.number().int().min(1).max(65535).optional(),
  targetPath: PathPrefix.optional(),
})
export type NewDomain = z.output<typeof NewDomain>

const DomainCheck = z
  .object({
    success: z.literal(true),
    host: z.string(),
    ok: z.boolean().meta({ description: 'visitors of this name come here' }),
    wanted: z.array(z.string()).meta({ description: 'addresses of the server; empty when nobody told the instance' }),
    found: z.object({ addresses: z.array(z.string()), cname: z.array(z.string()) }),
    message: z.string().meta({ description: 'one sentence: how it is, and what to change' }),
  })
  .meta({ id: 'DomainCheck' })
export type DomainCheck = z.output<typeof DomainCheck>

const ofProject = z.object({ id: idOf('prj') })

export const domains = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:id/domains',
    summary: 'The names that lead to a project',
    access: { permission: 'project:read' },
    params: ofProject,
    query: PageQuery,
    response: pageOf(Domain),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/projects/:id/domains',
    summary: 'Let a name of your own lead to a service; the active release has it within moments, without a deployment',
    access: { permission: 'project:write' },
    params: ofProject,
    body: NewDomain,
    response: Domain,
    status: 201,
    example: { host: 'shop.example.com', service: 'web' },
  }),
  check: endpoint({
    method: 'POST',
    path: '/api/projects/:id/domains/check',
    summary: 'Where a name leads now, where it should, and what to change',
    access: { permission: 'project:read' },
    params: ofProject,
    body: z.object({ host: HostName }),
    response: DomainCheck,
    unaudited: 'it only looks names up',
    neverKept: true,
    example: { host: 'shop.example.com' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/domains/:host',
    summary: 'Release a name: it leads nowhere, and anyone may have it',
    access: { permission: 'project:write' },
    params: ofProject.extend({ host: HostName }),
    response: Done,
  }),
} as const
