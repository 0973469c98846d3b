import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { HostName, NameOrWildcard, PathPrefix } from './host-names.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { ServiceName } from './services.ts'

/** `offered`: both; `redirect`: http is sent to https; `hsts`: and browsers remember that for a year. */
const HttpsUse = z.enum(['offered', 'redirect', 'hsts'])

const Leads = {
  ok: z.boolean().meta({ description: 'visitors of this name come here' }),
  wanted: z
    .array(z.string())
    .meta({ description: 'addresses of the server; empty when nobody told the instance, or no record could help' }),
  found: z.object({ addresses: z.array(z.string()), cname: z.array(z.string()) }),
  txt: z
    .object({ name: z.string(), value: z.string(), found: z.boolean() })
    .meta({ description: 'a TXT record that says whose the name is: for wildcards, and for names behind a proxy' }),
  message: z.string().meta({ description: 'one sentence: how it is, and what to change' }),
}

export const DomainDns = z.object({ ...Leads, checkedAt: timestamp }).meta({ id: 'DomainDns' })
export type DomainDns = z.output<typeof DomainDns>

export const CERTIFICATE_STATES = {
  pending_dns: 'the name does not lead here yet, or there is no release that it could lead to',
  issuing: 'the CA is being asked for the first one',
  valid: 'the edge shows it',
  renewing: 'valid, and the CA is being asked for its successor',
  failing: 'the last try failed; `reason` says why, `nextTryAt` when it is tried again. An earlier one is still shown',
  expired: 'out of its time; `reason` says why there is no other',
} as const
export type CertificateState = keyof typeof CERTIFICATE_STATES

export const DomainCertificate = z
  .object({
    state: z.enum(Object.keys(CERTIFICATE_STATES) as [CertificateState, ...CertificateState[]]).meta({
      description: Object.entries(CERTIFICATE_STATES)
        .map(([state, means]) => `${state}: ${means}`)
        .join('; '),
    }),
    reason: z.string().nullable(),
    nextTryAt: timestamp.nullable(),
    issuer: z.string().nullable(),
    serial: z.string().nullable(),
    validFrom: timestamp.nullable(),
    validTo: timestamp.nullable(),
    daysLeft: z.number().int().nullable().meta({ description: 'whole days; negative after the end' }),
    renewAt: timestamp.nullable().meta({ description: 'when its successor is asked for' }),
  })
  .meta({ id: 'DomainCertificate' })
export type DomainCertificate = z.output<typeof DomainCertificate>

export const Domain = z
  .object({
    host: z.string(),
    kind: z.enum(['free', 'custom']),
    service: z.string(),
    port: z.number().int().nullable().meta({ description: 'null: wherever the service listens' }),
    targetPath: z.string().nullable().meta({ description: 'only this path and what is below it' }),
    live: z.boolean().meta({ description: 'the edge leads it to the active release' }),
    https: HttpsUse.meta({ description: 'what plain HTTP gets while there is a certificate' }),
    redirectTo: z.string().nullable().meta({ description: 'visitors are sent to this name of the project' }),
    dns: DomainDns.nullable().meta({ description: 'where it led when it was last looked at; null: not yet' }),
    certificate: DomainCertificate.nullable().meta({ description: 'null: this instance gets none from a CA' }),
    createdAt: timestamp,
  })
  .meta({ id: 'Domain' })
export type Domain = z.output<typeof Domain>

const ListedDomain = Domain.extend({ project: z.object({ id: idOf('prj'), name: z.string() }) }).meta({
  id: 'ListedDomain',
})
export type ListedDomain = z.output<typeof ListedDomain>

const NewDomain = z.object({
  host: NameOrWildcard.meta({ description: 'a wildcard needs the TXT record that `check` names' }),
  service: ServiceName.default('web'),
  port: z.number().int().min(1).max(65535).optional(),
  targetPath: PathPrefix.optional(),
  https: HttpsUse.default('redirect'),
  redirectTo: HostName.optional().meta({ description: 'another name of this project, such as the one without www' }),
})
export type NewDomain = z.output<typeof NewDomain>

const DomainCheck = z.object({ success: z.literal(true), host: z.string(), ...Leads }).meta({ id: 'DomainCheck' })
export type DomainCheck = z.output<typeof DomainCheck>

const ofProject = z.object({ id: idOf('prj') })

export const domains = {
  all: endpoint({
    method: 'GET',
    path: '/api/domains',
    summary: 'The names that lead to the projects of the organization, by name',
    access: { permission: 'project:read' },
    query: PageQuery.extend({ projectId: idOf('prj').optional() }),
    response: pageOf(ListedDomain),
  }),
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
    body: z.object({ host: NameOrWildcard }),
    response: DomainCheck,
    unaudited: 'it only looks names up',
    neverKept: true,
    example: { host: 'shop.example.com' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/domains/:host',
    summary: 'Release a name: it leads nowhere, and anyone may have it. With `targetPath`, only what begins there',
    access: { permission: 'project:write' },
    params: ofProject.extend({ host: NameOrWildcard }),
    query: z.object({ targetPath: PathPrefix.optional() }),
    response: Done,
  }),
} as const
