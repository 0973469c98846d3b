import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { PageQuery, pageOf } from './pages.ts'

const AT = '/api/githost'

/** What came of a move of a branch; `waiting` is not decided yet. */
export const DELIVERY_DECISIONS = ['deployed', 'coalesced', 'skipped', 'ignored', 'known', 'waiting', 'failed'] as const
export type DeliveryDecision = (typeof DELIVERY_DECISIONS)[number]

export const GithostDelivery = z
  .object({
    id: idOf('ghd'),
    receivedAt: timestamp,
    decidedAt: timestamp.nullable(),
    via: z
      .enum(['delivery', 'poll', 'replay', 'run'])
      .meta({ description: 'told by the host, found by asking, asked for by a person, or found when a run began' }),
    event: z.string(),
    action: z.string().nullable(),
    repository: z.string().nullable(),
    ref: z.string().nullable(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    pusher: z.string().nullable(),
    projectId: idOf('prj').nullable(),
    decision: z.enum(DELIVERY_DECISIONS),
    reason: z.string().nullable(),
    deploymentId: idOf('dep').nullable(),
    attempts: z.number().int().meta({ description: 'how often the host was asked about it' }),
  })
  .meta({ id: 'GithostDelivery' })
export type GithostDelivery = z.output<typeof GithostDelivery>

export const ListDeliveries = PageQuery.extend({
  projectId: idOf('prj').optional(),
  repo: z.string().max(201).optional().meta({ description: 'owner/name' }),
  decision: z.enum(DELIVERY_DECISIONS).optional(),
})
export type ListDeliveries = z.output<typeof ListDeliveries>

const byId = z.object({ id: idOf('ghd') })

/** Most that the host sends: 25 MB. */
export const MOST_DELIVERY_BYTES = 25 * 1024 * 1024

export const githostDeliveries = {
  webhook: endpoint({
    method: 'POST',
    path: `${AT}/webhook`,
    summary: 'Where the git host tells what happened; signed over the bytes of the body',
    access: { public: 'the git host calls it; the signature says that it was the host' },
    query: z.object({
      k: z
        .string()
        .max(100)
        .default('')
        .meta({ description: 'names the one secret that counts; left out: the app of the instance' }),
    }),
    raw: true,
    bodyLimit: MOST_DELIVERY_BYTES,
    response: z.object({ accepted: z.literal(true).optional(), duplicate: z.literal(true).optional() }),
    status: 202,
    neverKept: true,
    unlimited: 'a host tells the pushes of thousands of repositories from few addresses; what is not signed is counted',
    unaudited: 'deliveries are listed with what was decided, and deployments that come of them are audited',
  }),
  deliveries: endpoint({
    method: 'GET',
    path: `${AT}/deliveries`,
    summary: 'Moves of branches and what was decided about them, newest first: why something was deployed, or not',
    access: { permission: 'githost:list' },
    query: ListDeliveries,
    response: pageOf(GithostDelivery),
  }),
  delivery: endpoint({
    method: 'GET',
    path: `${AT}/deliveries/:id`,
    summary: 'One delivery',
    access: { permission: 'githost:read' },
    params: byId,
    response: GithostDelivery,
  }),
  replay: endpoint({
    method: 'POST',
    path: `${AT}/deliveries/:id/replay`,
    summary: 'Decide anew from where the branch is now; needs deployment:write as well',
    access: { permission: 'githost:write' },
    params: byId,
    response: z.object({
      success: z.literal(true),
      decision: z.enum(DELIVERY_DECISIONS),
      reason: z.string().nullable(),
      deploymentId: idOf('dep').nullable(),
    }),
  }),
} as const
