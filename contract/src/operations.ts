import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const Health = z.object({ ok: z.boolean(), version: z.string() })
const Readiness = z.object({
  ok: z.boolean(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
})

const Instance = z.object({
  version: z.string().meta({ description: 'Also in the header Slipway-Version of every answer' }),
  commit: z.string().nullable().meta({ description: 'Of a release; null where it runs from a checkout' }),
  mode: z.enum(['self_hosted', 'cloud']),
  cli: z
    .object({ least: z.string(), newest: z.string() })
    .meta({ description: 'Versions of the command line that this instance understands' }),
})

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
} as const
