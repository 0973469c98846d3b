import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'

const names = z.array(z.string())
const between = <T extends z.ZodType>(value: T) => z.object({ from: value.nullable(), to: value.nullable() }).nullable()

const ServiceDiff = z
  .object({
    name: z.string(),
    change: z.enum(['added', 'removed', 'changed', 'same']),
    image: between(z.string()).meta({ description: 'null: the same' }),
    replicas: between(z.number().int()),
    port: between(z.number().int()).meta({ description: 'where it listens for the edge' }),
    variables: z
      .object({ added: names, removed: names, changed: names })
      .meta({ description: 'by name; values are shown nowhere' }),
    settings: names.meta({ description: 'what else is different, by name' }),
  })
  .meta({ id: 'ServiceDiff' })

/** What is different in one release, seen from another of the same project. */
export const DeploymentDiff = z
  .object({
    from: z.object({ id: idOf('dep'), number: z.number().int() }),
    to: z.object({ id: idOf('dep'), number: z.number().int() }),
    services: z.array(ServiceDiff),
    hosts: z.object({ added: names, removed: names }),
  })
  .meta({ id: 'DeploymentDiff' })
export type DeploymentDiff = z.output<typeof DeploymentDiff>
export type ServiceDiff = z.output<typeof ServiceDiff>

export const diff = endpoint({
  method: 'GET',
  path: '/api/deployments/:id/diff',
  summary:
    'What is different in another release of the project: images, variables by name, ports, settings. Without `to`, between it and ' +
    'the active one, from the older to the newer; of the active one itself, what it changed in the one before',
  access: { permission: 'deployment:read' },
  params: z.object({ id: idOf('dep') }),
  query: z.object({ to: idOf('dep').optional() }),
  response: DeploymentDiff,
})
