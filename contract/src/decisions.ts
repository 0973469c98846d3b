import { z } from 'zod'
import { Deployment, DeploymentService } from './deployment-shape.ts'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { DeploymentPlan } from './plan.ts'

const Version = z
  .object({
    deploymentId: idOf('dep').meta({ description: 'the deployment that brought it' }),
    image: z.string(),
    digest: z.string().nullable(),
  })
  .nullable()
  .meta({ description: 'null: the service is not there' })

/** What a decision means for one service. */
const ServiceVersions = z
  .object({
    name: z.string(),
    ran: Version.meta({ description: 'before this deployment' }),
    runs: Version.meta({ description: 'while the decision was awaited' }),
    willRun: Version.meta({ description: 'when the decision has been carried out' }),
  })
  .meta({ id: 'ServiceVersions' })
export type ServiceVersions = z.output<typeof ServiceVersions>

const Decided = z.object({ success: z.literal(true), deployment: Deployment, services: z.array(ServiceVersions) })
const byId = z.object({ id: idOf('dep') })

export const keep = endpoint({
  method: 'POST',
  path: '/api/deployments/:id/keep',
  summary: 'Accept the services that came up; the others stay as they were before',
  access: { permission: 'deployment:write' },
  params: byId,
  response: Decided,
  status: 202,
})

export const reject = endpoint({
  method: 'POST',
  path: '/api/deployments/:id/reject',
  summary: 'Bring every service back to what it was before',
  access: { permission: 'deployment:write' },
  params: byId,
  response: Decided,
  status: 202,
})

const Form = z
  .object({
    deploymentId: idOf('dep').meta({ description: 'the deployment that brought it' }),
    number: z.number().int().nullable().meta({ description: 'null: that deployment was deleted' }),
  })
  .nullable()
  .meta({ description: 'null: the service is not there' })

export const PendingDecision = z
  .object({
    services: z.array(
      z.object({
        name: z.string(),
        status: DeploymentService.shape.status
          .nullable()
          .meta({ description: 'what became of it; null: it is no part of this deployment' }),
        error: DeploymentService.shape.error,
        ran: Form.meta({ description: 'before this deployment' }),
        runs: Form.meta({ description: 'now: as the engine says, or as was written down where it cannot be asked' }),
        ifKept: Form,
        ifRejected: Form,
      }),
    ),
    keep: DeploymentPlan.nullable().meta({
      description: 'what keeping would do now; null: the engine cannot be asked',
    }),
    reject: DeploymentPlan.nullable().meta({ description: 'what rejecting would do now' }),
    seenAt: timestamp.nullable().meta({ description: 'when the engine was asked' }),
    unreachable: z.literal(true).optional(),
    reason: z.string().optional().meta({ description: 'why the engine could not be asked' }),
  })
  .meta({ id: 'PendingDecision' })
export type PendingDecision = z.output<typeof PendingDecision>

export const decision = endpoint({
  method: 'GET',
  path: '/api/deployments/:id/decision',
  summary: 'What keep and reject would do, by what its server shows: nothing is changed',
  access: { permission: 'deployment:read' },
  slowMs: 60_000,
  params: byId,
  response: PendingDecision,
})
