import { z } from 'zod'
import { DeploymentStatusSchema } from './deployment-status.ts'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'

const count = z.number().int()

const Attention = z
  .object({
    kind: z.enum(['waits', 'failed', 'unknown', 'server']).meta({
      description:
        'waits: a deployment waits for somebody; failed: the newest of its project; unknown: nobody can say that what serves runs; server: its last check found something',
    }),
    since: timestamp,
    message: z.string(),
    project: z.object({ id: idOf('prj'), name: z.string() }).nullable(),
    deployment: z.object({ id: idOf('dep'), number: count, status: DeploymentStatusSchema }).nullable(),
    server: z.object({ id: idOf('srv'), name: z.string() }).nullable(),
  })
  .meta({ id: 'Attention' })
export type Attention = z.output<typeof Attention>

export const Overview = z
  .object({
    projects: z.object({ total: count, serving: count }).meta({ description: 'counted up to 1000' }),
    deployments: z
      .object({ queued: count, running: count, waiting: count })
      .meta({ description: 'each counted up to 1000' }),
    servers: z.object({ total: count, unwell: count }),
    attention: z.array(Attention).meta({ description: 'what needs somebody, newest first; at most 50' }),
  })
  .meta({ id: 'Overview' })
export type Overview = z.output<typeof Overview>

export const overview = endpoint({
  method: 'GET',
  path: '/api/overview',
  summary: 'How everything is at a glance, and what needs somebody',
  access: { permission: 'deployment:list' },
  response: Overview,
})
