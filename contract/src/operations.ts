import { z } from 'zod'
import { DomainCertificate, DomainDns } from './domains.ts'
import { endpoint, MODES } from './endpoint.ts'
import { timestamp } from './ids.ts'

const Health = z.object({ ok: z.boolean(), version: z.string() })
const Readiness = z.object({
  ok: z.boolean(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
})

/** Why it failed, and where backups lie, is told on the machine alone. */
const LastRun = z.object({
  ok: z
    .boolean()
    .meta({ description: 'Whether the last one went well; false, too, where what was noted cannot be read' }),
  at: timestamp.nullable().meta({ description: 'When the last one ended; null: what was noted cannot be read' }),
  lastSuccessAt: timestamp.nullable().meta({ description: 'When one last went well' }),
})

const Instance = z.object({
  version: z.string().meta({ description: 'Also in the header Slipway-Version of every answer' }),
  commit: z.string().nullable().meta({ description: 'Of a release; null where it runs from a checkout' }),
  mode: z.enum(MODES),
  cli: z
    .object({ least: z.string(), newest: z.string() })
    .meta({ description: 'Versions of the command line that this instance understands' }),
  baseDomain: z.string().meta({ description: 'Free names of projects end with it' }),
})

const InstanceBackups = z
  .object({
    backup: LastRun.nullable().meta({
      description: 'Of the platform itself, by `slipway setup backup`; null: none is known of',
    }),
    drill: LastRun.nullable().meta({
      description: 'A backup of the platform, restored to see that it can be done; null: none is known of',
    }),
  })
  .meta({ id: 'InstanceBackups' })

const InstanceAddress = z
  .object({
    url: z.string().meta({ description: 'SLIPWAY_PUBLIC_URL: in links, cookies and what git hosts call' }),
    host: z
      .string()
      .nullable()
      .meta({ description: 'the name that the edge of this machine leads here; null: it leads none' }),
    live: z.boolean().meta({ description: 'the edge leads the name here, with a certificate' }),
    message: z.string().meta({ description: 'one sentence: how it is, and what to change' }),
    dns: DomainDns.nullable(),
    certificate: DomainCertificate.nullable(),
  })
  .meta({ id: 'InstanceAddress' })
export type InstanceAddress = z.output<typeof InstanceAddress>

export const operations = {
  healthz: endpoint({
    method: 'GET',
    path: '/healthz',
    summary: 'The process is alive',
    access: { public: 'asked by supervisors; says nothing about anyone' },
    response: Health,
  }),
  readyz: endpoint({
    method: 'GET',
    path: '/readyz',
    summary: 'The process can serve: database reachable and migrated, not shutting down',
    access: { public: 'asked by load balancers; says nothing about anyone' },
    response: Readiness,
  }),
  instance: endpoint({
    method: 'GET',
    path: '/api/instance',
    summary: 'Which Slipway this is: its version, and which versions of the command line it understands',
    access: { public: 'clients ask before they sign in; says nothing about anyone' },
    response: Instance,
  }),
  address: endpoint({
    method: 'GET',
    path: '/api/instance/address',
    summary: 'The platform’s own address: where its name leads, and its certificate',
    access: { permission: 'server:read' },
    response: InstanceAddress,
  }),
  backups: endpoint({
    method: 'GET',
    path: '/api/instance/backups',
    summary: 'How the last backup of the platform itself ended, and the last drill',
    access: { permission: 'server:read' },
    response: InstanceBackups,
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Prometheus metrics, with SLIPWAY_METRICS_TOKEN as bearer; without that setting there are none',
    access: { public: 'guarded by a token of its own, because scrapers have no organization' },
    response: { stream: 'text/plain' },
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document',
    access: { public: 'the description of the API is not a secret' },
    response: { stream: 'application/json' },
  }),
  docs: endpoint({
    method: 'GET',
    path: '/api/docs',
    summary: 'This API as a page to read',
    access: { public: 'the description of the API is not a secret' },
    response: { stream: 'text/html' },
  }),
  commandLine: endpoint({
    method: 'GET',
    path: '/cli/slipway.tgz',
    summary: 'The command line that fits this instance, as a package for npm; it needs Node 22 or newer',
    access: { public: 'the same program that anybody can get; whoever has none cannot sign in yet' },
    response: { stream: 'application/gzip' },
  }),
  commandLineSum: endpoint({
    method: 'GET',
    path: '/cli/slipway.tgz.sha256',
    summary: 'Its SHA-256, as sha256sum --check reads it',
    access: { public: 'of a file that anybody can get' },
    response: { stream: 'text/plain' },
  }),
} as const
