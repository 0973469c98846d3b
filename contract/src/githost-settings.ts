import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const AT = '/api/githost'
const MOST_RULES = 200

export const GithostRule = z
  .object({
    role: z.enum(['developer', 'viewer']).meta({ description: 'owners and admins see everything' }),
    pattern: z
      .string()
      .max(200)
      .regex(/^[A-Za-z0-9_-]+(\/[\w.*-]+)?$/, 'must be an account, or owner/name where * stands for anything')
      .meta({ example: 'acme/internal-*' }),
    allow: z.boolean(),
  })
  .meta({ id: 'GithostRule', description: 'narrows what a role sees; of several that match the longest wins' })
export type GithostRule = z.output<typeof GithostRule>

const GithostRules = z.object({ rules: z.array(GithostRule).max(MOST_RULES, `must be at most ${MOST_RULES} rules`) })

export const githostSettings = {
  rules: endpoint({
    method: 'GET',
    path: `${AT}/rules`,
    summary: 'What developers and viewers do not see of the connected accounts',
    access: { permission: 'githost:admin' },
    response: GithostRules,
  }),
  setRules: endpoint({
    method: 'PUT',
    path: `${AT}/rules`,
    summary: 'Set all rules at once',
    access: { permission: 'githost:admin' },
    body: GithostRules,
    response: GithostRules,
    example: { rules: [{ role: 'developer', pattern: 'acme/internal-*', allow: false }] },
  }),
} as const
