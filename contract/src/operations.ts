import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const Health = z.object({ ok: z.boolean(), version: z.string() })
const Readiness = z.object({
  ok: z.boolean(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
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
