import { holds, type Permission, type Role, type Scope } from '@slipway/contract/permissions'
import { Refusal } from '../../errors.ts'

/** Who asks, in which organization, and how far they may go. Every core function that touches a row is handed one. */
export type Caller = {
  kind: 'token' | 'session'
  /** Id of the access token or session. */
  credentialId: string
  /** It is that of a linked instance: everybody there comes with it. */
  ofLink: boolean
  userId: string
  userName: string
  orgId: string
  role: Role
  /** null: not narrower than the role. */
  scopes: ReadonlySet<Scope> | null
  /** A token may be restricted to one project. */
  projectId: string | null
  expiresAt: Date | null
  address: string
  /** The program that asks, as it calls itself. */
  client: string | null
  requestId: string
}

export const may = ({ role, scopes }: Pick<Caller, 'role' | 'scopes'>, permission: Permission) =>
  holds(role, scopes, permission)

export function requirePermission(caller: Caller, permission: Permission): void {
  if (may(caller, permission)) return
  const byRole = holds(caller.role, null, permission)
  throw new Refusal('permission_denied', `This needs the permission ${permission}.`, {
    requires: permission,
    hint: byRole
      ? 'The access token was made without this scope: make one that has it or, where it is that of a link, link the instance anew.'
      : `The role ${caller.role} does not include it; ask an owner of the organization.`,
  })
}

/** A token for one project has no business with what belongs to the whole organization. */
export function requireUnrestricted(caller: Caller): void {
  if (caller.projectId === null) return
  throw new Refusal('project_restricted', 'This access token is restricted to one project.', {
    hint: 'Use a token without a project restriction.',
  })
}

const OF_PROJECTS = new Set(['project', 'deployment', 'self'])

/** Permissions that make sense inside one project; their handlers look only at that project. */
export const isOfProject = (permission: Permission) => OF_PROJECTS.has(permission.split(':')[0] ?? '')

/** Some acts are a person's own: a token, which may have been leaked, cannot do them. */
export function requireSession(caller: Caller): void {
  if (caller.kind === 'session') return
  throw new Refusal('session_required', 'This can only be done by a signed-in person, not with an access token.', {
    hint: 'Sign in with email and password and use the session cookie.',
  })
}
