import { ApiError, type Headers, notByIntegration, notFound, unauthenticated } from './answer.ts'
import type { Actor } from './credentials.ts'
import { covers, findRepository, followRename, installationOn, roleOf } from './host.ts'
import type { Account, Host, Level, Permissions, Repository, Role } from './model.ts'
import type { Call } from './route.ts'

const RANK: Record<Role, number> = { none: 0, read: 1, write: 2, admin: 3 }
export const reaches = (has: Role | undefined, needed: Level) => RANK[has ?? 'none'] >= RANK[needed]

/** What a credential may do with a repository at all; `none` means that it must look nonexistent. */
export function roleFor(host: Host, actor: Actor, repository: Repository): Role {
  const open: Role = repository.private ? 'none' : 'read'
  if (actor.kind !== 'token') return open
  const { token } = actor
  const { user, app } = token
  const installation = token.installation ?? (app && installationOn(host, app.id, repository.owner))
  if (token.installation || token.kind === 'user') {
    const excluded = token.repositoryIds && !token.repositoryIds.has(repository.id)
    if (!installation || excluded || !covers(installation, repository)) return open
    return user ? roleOf(user, repository) : 'write'
  }
  if (!user) return open
  return repository.private && !token.scopes.includes('repo') ? 'none' : roleOf(user, repository)
}

/** What the app of a token may do here; null for tokens without an app. */
export function appPermissions(host: Host, actor: Actor, { owner }: Repository): Permissions | null {
  if (actor.kind !== 'token') return null
  const { installation, permissions, kind, app } = actor.token
  if (installation) return permissions
  return kind === 'user' && app ? (installationOn(host, app.id, owner)?.permissions ?? {}) : null
}

type Need = 'metadata' | 'contents' | 'administration' | 'repository_hooks' | 'statuses' | 'deployments' | 'checks'
const ADMINS_ONLY: Need[] = ['administration', 'repository_hooks']

/** The repository, or the real host's refusal: 404 for what may not be seen, 403 for what may not be done. */
export function requireRepository(call: Call, need: Need = 'metadata', level: 'read' | 'write' = 'read'): Repository {
  const { host, actor, base } = call
  const [owner, name] = [call.param('owner'), call.param('repo')]
  const found = followRename(host, owner, name)
  const role = found ? roleFor(host, actor, found) : 'none'
  if (!found || role === 'none') throw notFound()
  if (!findRepository(host, owner, name)) {
    const url = `${base}/repositories/${found.id}`
    throw new ApiError(301, 'Moved Permanently', { url }, { location: url })
  }
  guardAccount(call, found.owner)
  const given = appPermissions(host, actor, found)
  const adminsOnly = ADMINS_ONLY.includes(need)
  const open = need === 'metadata' || (!found.private && level === 'read' && !adminsOnly)
  if (given && !open && !reaches(given[need], level)) throw notByIntegration()
  if (actor.kind === 'token' && actor.token.installation) return found
  if (reaches(role, adminsOnly ? 'admin' : level)) return found
  if (actor.kind === 'anonymous' && level === 'write') throw unauthenticated()
  if (need === 'administration') throw new ApiError(403, 'Must have admin rights to Repository.')
  throw need === 'repository_hooks' ? notFound() : new ApiError(403, 'Resource not accessible by personal access token')
}

const although = (login: string) =>
  `Although you appear to have the correct authorization credentials, the \`${login}\` organization has`

/** What an organization puts before credentials that would do otherwise: SAML, addresses, restrictions on OAuth apps. */
export function guardAccount({ host, actor, address }: Pick<Call, 'host' | 'actor' | 'address'>, account: Account) {
  if (actor.kind !== 'token') return
  const { installation, user, kind, ssoAuthorized, clientId } = actor.token
  const { login, ipAllowList, sso, oauthAppsAllowed } = account
  if (installation?.suspendedAt) throw new ApiError(403, 'This installation has been suspended')
  if (ipAllowList && !ipAllowList.includes(address)) {
    const rest = 'an IP allow list enabled, and your IP address is not permitted to access this resource.'
    throw new ApiError(403, `${although(login)} ${rest}`)
  }
  if (sso && user && kind !== 'user' && !ssoAuthorized.has(login)) {
    const url = `https://${host.name}/orgs/${login}/sso?authorization_request=lab`
    const message =
      'Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization.'
    throw new ApiError(403, message, {}, { 'x-github-sso': `required; url=${url}` })
  }
  if (oauthAppsAllowed && kind === 'oauth' && !oauthAppsAllowed.includes(clientId ?? '')) {
    const rest = 'enabled OAuth App access restrictions, meaning that data access to third-parties is limited.'
    throw new ApiError(403, `${although(login)} ${rest}`)
  }
}

/** For lists: what an organization withholds is left out, and a header says so. */
export function visibleOf(call: Call, repositories: Repository[]): { visible: Repository[]; headers: Headers } {
  const withheld = new Set<number>()
  const visible = repositories.filter((repository) => {
    if (roleFor(call.host, call.actor, repository) === 'none') return false
    try {
      guardAccount(call, repository.owner)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.headers['x-github-sso']) withheld.add(repository.owner.id)
      return false
    }
  })
  const partial = `partial-results; organizations=${[...withheld].join(',')}`
  return { visible, headers: withheld.size > 0 ? { 'x-github-sso': partial } : {} }
}
