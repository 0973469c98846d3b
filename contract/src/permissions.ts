export const ACTIONS = ['list', 'read', 'write', 'admin'] as const
export type Action = (typeof ACTIONS)[number]

export const RESOURCES = [
  'deployment',
  'backup_destination',
  'registry',
  'githost',
  'server',
  'project',
  'token',
  'member',
  'audit',
] as const
export type Resource = (typeof RESOURCES)[number]

/** `self:*` is what every valid credential may do about itself: no role grants it, no scope takes it away. */
export type Permission = `${Resource}:${Action}` | 'self:read' | 'self:write'
export type Scope = `${Resource}:${Action}`

export const SCOPES: readonly Scope[] = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action): Scope => `${resource}:${action}`),
)

export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

const onEach = (resources: readonly Resource[], actions: readonly Action[]): Scope[] =>
  resources.flatMap((resource) => actions.map((action): Scope => `${resource}:${action}`))

const work = RESOURCES.filter((resource) => resource !== 'member' && resource !== 'audit')

const viewer: Scope[] = [...onEach(RESOURCES, ['list', 'read']), 'token:write']
const developer: Scope[] = [...viewer, ...onEach(work, ['write'])]
const admin: Scope[] = [...developer, ...onEach(work, ['admin'])]
const owner: Scope[] = [...admin, ...onEach(['member', 'audit'], ['write', 'admin'])]

/** The one table of who may do what. Everyone may make tokens, because a token never exceeds its owner. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  viewer: new Set(viewer),
  developer: new Set(developer),
  admin: new Set(admin),
  owner: new Set(owner),
}

/** A permission holds when the role grants it and, for a token, its scopes do not leave it out. */
export function holds(role: Role, scopes: ReadonlySet<Scope> | null, permission: Permission): boolean {
  if (permission === 'self:read' || permission === 'self:write') return true
  return ROLE_PERMISSIONS[role].has(permission) && (scopes === null || scopes.has(permission))
}
