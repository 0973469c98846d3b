import { z } from 'zod'
import { Deployment } from './deployment-shape.ts'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'

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
