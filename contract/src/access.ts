import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { RoleSchema, ScopeSchema } from './permission-schemas.ts'

const name = z.string().trim().min(1).max(80)
const email = z.email().max(254).toLowerCase()

export const Token = z
  .object({
    id: idOf('tok'),
    name: z.string(),
    hint: z.string().meta({ description: 'the first characters, to recognise it by' }),
    scopes: z.array(ScopeSchema).nullable().meta({ description: 'null: everything its owner may do' }),
    projectId: idOf('prj').nullable(),
    createdBy: z.object({ id: idOf('usr'), name: z.string() }),
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Token' })

const NewToken = z.object({
  name,
  scopes: z.array(ScopeSchema).min(1).max(64).nullable().default(null),
  projectId: idOf('prj').nullable().default(null),
  expiresAt: timestamp.nullable().default(null),
})
export type NewToken = z.output<typeof NewToken>

export const Member = z
  .object({ userId: idOf('usr'), name: z.string(), email: z.string(), role: RoleSchema, joinedAt: timestamp })
  .meta({ id: 'Member' })

export const Invitation = z
  .object({
    id: idOf('inv'),
    email: z.string(),
    role: RoleSchema,
    invitedBy: z.string().nullable(),
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'Invitation' })

export const AuditEntry = z
  .object({
    id: idOf('aud'),
    at: timestamp,
    action: z.string(),
    target: z.string().nullable(),
    actor: z.object({
      kind: z.enum(['user', 'token', 'system']),
      id: z.string().nullable(),
      name: z.string(),
      tokenId: z.string().nullable(),
    }),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' })

const byToken = z.object({ id: idOf('tok') })
const byMember = z.object({ userId: idOf('usr') })
const byInvitation = z.object({ id: idOf('inv') })

export const tokens = {
  list: endpoint({
    method: 'GET',
    path: '/api/tokens',
    summary: "The caller's access tokens; with token:admin, everyone's",
    access: { permission: 'token:list' },
    query: PageQuery,
    response: pageOf(Token),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an access token; the answer is the only place that ever shows it',
    access: { permission: 'token:write' },
    body: NewToken,
    response: z.object({ success: z.literal(true), token: Token, secret: z.string().meta({ example: 'slp_…' }) }),
    status: 201,
    example: { name: 'ci', scopes: ['project:read'] },
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/tokens/:id',
    summary: 'One access token, without its secret',
    access: { permission: 'token:read' },
    params: byToken,
    response: Token,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke an access token; the next request with it is refused',
    access: { permission: 'token:write' },
    params: byToken,
    response: Done,
  }),
  endSelf: endpoint({
    method: 'DELETE',
    path: '/api/tokens/self',
    summary: 'Revoke the access token that asks, whatever it may do besides',
    access: { permission: 'self:write' },
    response: Done,
  }),
} as const

export const members = {
  list: endpoint({
    method: 'GET',
    path: '/api/members',
    summary: 'The people of this organization',
    access: { permission: 'member:list' },
    query: PageQuery,
    response: pageOf(Member),
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/members/:userId',
    summary: 'One member',
    access: { permission: 'member:read' },
    params: byMember,
    response: Member,
  }),
  changeRole: endpoint({
    method: 'PATCH',
    path: '/api/members/:userId',
    summary: "Change a member's role",
    access: { permission: 'member:admin' },
    params: byMember,
    body: z.object({ role: RoleSchema }),
    response: Member,
    example: { role: 'developer' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/members/:userId',
    summary: 'Remove a member; their tokens for this organization stop working at once',
    access: { permission: 'member:admin' },
    params: byMember,
    response: Done,
  }),
  invitations: endpoint({
    method: 'GET',
    path: '/api/members/invitations',
    summary: 'Invitations that are still open, without their codes',
    access: { permission: 'member:list' },
    query: PageQuery,
    response: pageOf(Invitation),
  }),
  invite: endpoint({
    method: 'POST',
    path: '/api/members/invitations',
    summary: 'Invite a person; the answer is the only place that ever shows the link',
    access: { permission: 'member:write' },
    body: z.object({ email, role: RoleSchema }),
    response: z.object({ success: z.literal(true), invitation: Invitation, link: z.string() }),
    status: 201,
    example: { email: 'sam@example.com', role: 'developer' },
  }),
  withdraw: endpoint({
    method: 'DELETE',
    path: '/api/members/invitations/:id',
    summary: 'Withdraw an invitation',
    access: { permission: 'member:write' },
    params: byInvitation,
    response: Done,
  }),
} as const

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/api/audit',
    summary: 'Who did what from where, newest first',
    access: { permission: 'audit:list' },
    query: PageQuery.extend({
      action: z.string().max(80).optional(),
      target: z.string().max(80).optional(),
      actor: z.string().max(80).optional().meta({
        description: 'the id of who did it, themselves or with an access token; `system`: the instance itself',
      }),
      from: timestamp.optional(),
      to: timestamp.optional().meta({ description: 'only what was before' }),
    }),
    response: pageOf(AuditEntry),
  }),
} as const
