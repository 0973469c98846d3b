import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { RoleSchema, ScopeSchema } from './permission-schemas.ts'

export const Password = z.string().min(10).max(128)
export const InvitationCode = z.string().min(20).max(200)

export const Organization = z
  .object({ id: idOf('org'), name: z.string(), role: RoleSchema, createdAt: timestamp })
  .meta({ id: 'Organization' })

export const Me = z
  .object({
    user: z.object({ id: idOf('usr'), name: z.string(), email: z.string() }),
    organization: z.object({ id: idOf('org'), name: z.string() }),
    role: RoleSchema,
    permissions: z.array(ScopeSchema).meta({ description: 'what this very credential may do' }),
    credential: z.object({
      kind: z.enum(['token', 'session']),
      id: z.string(),
      projectId: z.string().nullable(),
      expiresAt: timestamp.nullable(),
    }),
  })
  .meta({ id: 'Me' })

export const Session = z
  .object({
    id: idOf('ses'),
    current: z.boolean().meta({ description: 'the one that asks' }),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: timestamp,
    renewedAt: timestamp.meta({ description: 'a session in use is renewed once a day' }),
    expiresAt: timestamp,
  })
  .meta({ id: 'Session' })

export const me = {
  show: endpoint({
    method: 'GET',
    path: '/api/me',
    summary: 'Who this credential is and what it may do',
    access: { permission: 'self:read' },
    response: Me,
  }),
  organizations: endpoint({
    method: 'GET',
    path: '/api/me/organizations',
    summary: 'The organizations this person belongs to',
    access: { permission: 'self:read' },
    query: PageQuery,
    response: pageOf(Organization),
  }),
  activate: endpoint({
    method: 'POST',
    path: '/api/me/organization',
    summary: 'Choose the organization that this session works in',
    access: { permission: 'self:write' },
    body: z.object({ organizationId: idOf('org') }),
    response: Done,
    example: { organizationId: idOf('org').meta()?.example },
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/me/password',
    summary: 'Change the password; other sessions of this person end',
    access: { permission: 'self:write' },
    body: z.object({ currentPassword: z.string().max(128), newPassword: Password }),
    response: Done,
    example: { currentPassword: 'correct horse battery', newPassword: 'staple correct horse' },
  }),
  join: endpoint({
    method: 'POST',
    path: '/api/me/invitations',
    summary: 'Join an organization with an account that exists, by the code of an invitation to its address',
    access: { permission: 'self:write' },
    body: z.object({ code: InvitationCode }),
    response: z.object({ success: z.literal(true), organizationId: idOf('org'), role: RoleSchema }),
    example: { code: 'the_code_behind_the_hash_of_the_link' },
  }),
  sessions: endpoint({
    method: 'GET',
    path: '/api/me/sessions',
    summary: 'Where this person is signed in, newest first',
    access: { permission: 'self:read' },
    query: PageQuery,
    response: pageOf(Session),
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/api/me/sessions/:id',
    summary: 'End one session of this person; the next request with it is refused',
    access: { permission: 'self:write' },
    params: z.object({ id: idOf('ses') }),
    response: Done,
  }),
  endOtherSessions: endpoint({
    method: 'DELETE',
    path: '/api/me/sessions',
    summary: 'End all sessions of this person but the one that asks',
    access: { permission: 'self:write' },
    response: z.object({ success: z.literal(true), ended: z.number().int() }),
  }),
} as const
