import { z } from 'zod'
import { DeploymentError } from './deployment-shape.ts'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'

export const PROMOTION_STATES = ['running', 'promoted', 'failed', 'cancelled'] as const
export type PromotionState = (typeof PROMOTION_STATES)[number]

const DnsChange = z.object({
  host: z.string(),
  type: z.enum(['A', 'AAAA', 'TXT']),
  now: z.array(z.string()).meta({ description: 'where it leads now, as the cloud sees it' }),
  wanted: z.array(z.string()).meta({ description: 'what it has to be for visitors to come to the cloud' }),
})
export type DnsChange = z.output<typeof DnsChange>

const Promotion = z
  .object({
    deploymentId: idOf('dep').meta({ description: 'the deployment there, which has the same id here' }),
    state: z.enum(PROMOTION_STATES),
    step: z.string().nullable().meta({ description: 'which it is at, or was at last; null: none has begun' }),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: DeploymentError.nullable().meta({ description: 'why it failed, or what could not be taken back' }),
    dns: z.array(DnsChange).meta({ description: 'records of the project’s own names that have to be changed' }),
  })
  .meta({ id: 'Promotion' })
export type Promotion = z.output<typeof Promotion>

const byId = z.object({ id: idOf('prj') })

/** At an instance: the way of a project to the hosted cloud. */
export const promotion = {
  show: endpoint({
    method: 'GET',
    path: '/api/projects/:id/promotion',
    summary: 'How the newest promotion of a project to the hosted cloud stands, and which DNS records it asks for',
    access: { permission: 'project:read' },
    only: 'self_hosted',
    params: byId,
    response: Promotion,
  }),
  giveBack: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/promotion',
    summary:
      'Give back what a project has at the hosted cloud: it is deleted there, unless something of it runs, and deployed here from then on',
    access: { permission: 'project:admin' },
    only: 'self_hosted',
    slowMs: 60_000,
    params: byId,
    response: z.object({
      success: z.literal(true),
      deletedThere: z.boolean(),
      hint: z.string().optional().meta({ description: 'what to do where it was not' }),
    }),
  }),
} as const
