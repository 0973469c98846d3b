import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'
import { Variable } from './services.ts'

const PendingVariable = Variable.pick({ name: true, service: true, scope: true })
  .extend({ change: z.enum(['added', 'changed', 'removed']) })
  .meta({ id: 'PendingVariable' })
export type PendingVariable = z.output<typeof PendingVariable>

export const PendingChanges = z
  .object({
    release: z
      .object({ id: idOf('dep'), number: z.number().int() })
      .nullable()
      .meta({ description: 'the active release; null: nothing serves' }),
    variables: z.array(PendingVariable).nullable().meta({
      description:
        'set or removed since that release was frozen, by name; values are shown nowhere. null: it is not known here what it was made with',
    }),
  })
  .meta({ id: 'PendingChanges' })
export type PendingChanges = z.output<typeof PendingChanges>

export const pendingChanges = endpoint({
  method: 'GET',
  path: '/api/projects/:id/pending-changes',
  summary:
    'Variables of the project that its active release was not made with: the next deployment brings them, or leaves them out',
  access: { permission: 'project:read' },
  params: z.object({ id: idOf('prj') }),
  response: PendingChanges,
})
