import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** What an organization may have so much of and no more. */
export const LIMIT_KINDS = [
  'projects',
  'members',
  'concurrentBuilds',
  'memoryBytes',
  'uploadBytes',
  'logBytesPerDay',
] as const
export type LimitKind = (typeof LIMIT_KINDS)[number]
export const LimitKindSchema = z.enum(LIMIT_KINDS).meta({ id: 'LimitKind' })

const Limit = z
  .object({
    kind: LimitKindSchema,
    most: z.number().int().nullable().meta({ description: 'null: no limit' }),
    used: z.number().int(),
    unit: z.enum(['count', 'bytes']),
    hint: z.string().meta({ description: 'what to do where it does not suffice' }),
  })
  .meta({ id: 'Limit' })
export type Limit = z.output<typeof Limit>

export const limits = {
  list: endpoint({
    method: 'GET',
    path: '/api/limits',
    summary: 'How much the organization may have, and has',
    access: { permission: 'member:read' },
    response: z.object({ limits: z.array(Limit) }),
  }),
} as const
