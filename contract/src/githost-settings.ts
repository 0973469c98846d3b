import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { timestamp } from './ids.ts'

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

const slug = z
  .string()
  .max(100)
  .regex(/^[a-z0-9-]+$/, 'must be the name of an app, as its address at the git host has it')
  .optional()
  .meta({ description: 'left out: the only app of the organization' })

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
  setKey: endpoint({
    method: 'POST',
    path: `${AT}/app/key`,
    summary: 'Use another private key of the organization’s own app, once the git host takes it',
    access: { permission: 'githost:admin' },
    body: z.object({ slug, privateKey: z.string().min(100).max(20_000) }),
    response: z.object({ success: z.literal(true), slug: z.string() }),
    example: { privateKey: `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(100)}\n-----END RSA PRIVATE KEY-----\n` },
    neverKept: true,
  }),
  rotateHookSecret: endpoint({
    method: 'POST',
    path: `${AT}/app/hook-secret`,
    summary: 'Draw another secret for the hook of the organization’s own app, here and at the git host',
    access: { permission: 'githost:admin' },
    body: z.object({ slug }),
    response: z.object({
      success: z.literal(true),
      slug: z.string(),
      oldUntil: timestamp.meta({ description: 'until then deliveries with the secret before it are taken as well' }),
    }),
    example: {},
  }),
} as const
