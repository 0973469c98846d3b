import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'

const count = z.number().int()

const ServingService = z
  .object({
    service: z.string(),
    deploymentId: idOf('dep')
      .nullable()
      .meta({ description: 'the deployment that brought what runs; null: nothing of it is there' }),
    number: count.nullable().meta({ description: 'its number; null where the deployment was deleted' }),
    replicas: z.object({
      wanted: count.meta({ description: 'that the engine is told to run; 0 of what is on its way out' }),
      running: count,
      healthy: count.meta({ description: 'that run, and pass their check where they have one' }),
    }),
    since: timestamp
      .nullable()
      .meta({ description: 'when the oldest of its containers was made, where that is known' }),
    asReleased: z.boolean().meta({ description: 'whether it is what the active release has of this service' }),
    seenAt: timestamp,
  })
  .meta({ id: 'ServingService' })

export const Serving = z
  .object({
    target: z.enum(['server', 'cloud']),
    server: z.object({ id: idOf('srv'), name: z.string() }).nullable(),
    active: z
      .object({ id: idOf('dep'), number: count })
      .nullable()
      .meta({ description: 'the active release' }),
    data: z
      .array(ServingService)
      .meta({ description: 'a service that is being replaced is there twice: what comes, and what goes' }),
    seenAt: timestamp.nullable().meta({ description: 'when the engine said so; null: it never has' }),
    unreachable: z
      .literal(true)
      .optional()
      .meta({ description: 'the engine could not be asked; `data` is what it said last' }),
    reason: z.string().optional().meta({ description: 'why it could not' }),
  })
  .meta({ id: 'Serving' })
export type Serving = z.output<typeof Serving>

export const serving = endpoint({
  method: 'GET',
  path: '/api/projects/:id/serving',
  summary:
    'What runs of a project now, service by service, as its engine says. Of one in the hosted cloud nothing is known here',
  access: { permission: 'deployment:read' },
  slowMs: 60_000,
  params: z.object({ id: idOf('prj') }),
  response: Serving,
})
