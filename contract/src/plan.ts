import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'

export const OPERATION_KINDS = [
  'ensure-networks',
  'route-both',
  'apply',
  'run-job',
  'restart',
  'remove',
  'wait-healthy',
  'wait-idle',
  'wait-free',
  'route',
  'forget-ports',
  'drop-route',
  'withdraw',
  'drop-volumes',
] as const

const PlanOperation = z
  .object({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    service: z.string().nullable().meta({ description: 'null: it is about the whole project' }),
    change: z.string().meta({ description: 'what it changes, in words' }),
    reason: z.string().meta({ description: 'why it is to be done' }),
    after: z.array(z.string()).meta({ description: 'ids of the operations that come first' }),
    state: z.enum(['planned', 'running', 'done', 'failed']),
  })
  .meta({ id: 'PlanOperation' })
export type PlanOperation = z.output<typeof PlanOperation>

/** What would be done, or is being done, to make a server run a release. */
export const DeploymentPlan = z
  .object({
    operations: z.array(PlanOperation),
    created: z.array(z.string()).meta({ description: 'services that are not there yet' }),
    replaced: z.array(z.string()).meta({ description: 'services that get new containers of another form' }),
    restarted: z.array(z.string()).meta({ description: 'services that get new containers of the same form' }),
    removed: z.array(z.string()),
    jobs: z.array(z.string()).meta({ description: 'that run to their end once' }),
    routed: z
      .array(
        z.object({ host: z.string(), pathPrefix: z.string().nullable(), service: z.string(), port: z.number().int() }),
      )
      .meta({ description: 'where names lead that lead elsewhere now' }),
    interrupted: z.array(z.object({ service: z.string(), because: z.array(z.string()) })).meta({
      description: 'services that stop before their successor starts, and the volumes and ports that ask for it',
    }),
  })
  .meta({ id: 'DeploymentPlan' })
export type DeploymentPlan = z.output<typeof DeploymentPlan>

export const rollbackPlan = endpoint({
  method: 'GET',
  path: '/api/deployments/:id/rollback-plan',
  summary: 'What a rollback to this deployment would do now, by what its server shows: nothing is changed',
  access: { permission: 'deployment:read' },
  slowMs: 60_000,
  params: z.object({ id: idOf('dep') }),
  response: z.object({
    plan: DeploymentPlan,
    rebuilt: z
      .array(z.string())
      .meta({ description: 'services whose image is gone from the server: built again first' }),
  }),
})
