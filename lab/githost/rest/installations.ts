import { randomBytes } from 'node:crypto'
import { reaches, roleFor } from '../access.ts'
import { type Answer, ApiError, noContent, notFound, ok } from '../answer.ts'
import { requireApp, requireUser } from '../credentials.ts'
import { addToken, coveredBy, roleOf, seconds } from '../host.ts'
import { suspend, uninstall } from '../installations.ts'
import type { Installation, Permissions, Repository } from '../model.ts'
import { type Call, counted, route } from '../route.ts'
import { installationShape } from '../shapes/app.ts'
import { wholeRepository } from '../shapes/repository.ts'

function requireOwn(call: Call): Installation {
  const app = requireApp(call.actor)
  const found = call.host.installations.get(Number(call.param('id')))
  if (found?.app.id !== app.id) throw notFound()
  return found
}

const refuseSuspended = ({ suspendedAt }: Installation) => {
  if (suspendedAt) throw new ApiError(403, 'This installation has been suspended')
}

type Narrowing = { repositories?: string[]; repository_ids?: number[]; permissions?: Permissions }
const MOST_NAMED = 500

/** Narrowed to repositories and permissions; who asks for more than there is gets nothing. */
function mint(call: Call): Answer {
  const one = requireOwn(call)
  refuseSuspended(one)
  const { permissions }: Narrowing = call.body
  const beyond = Object.entries(permissions ?? {}).some(([name, level]) => !reaches(one.permissions[name], level))
  if (beyond) throw new ApiError(422, 'The permissions requested are not granted to this installation.')
  const limited = narrowed(coveredBy(call.host, one), call.body)
  const expiresAt = Date.now() + call.host.settings.tokenLifeMs
  const token = addToken(call.host, {
    kind: 'installation',
    value: tokenText(one, expiresAt),
    installation: one,
    app: one.app,
    repositoryIds: limited && new Set(limited.map(({ id }) => id)),
    permissions: { metadata: 'read', ...(permissions ?? one.permissions) },
    expiresAt,
  })
  const answer = { token: token.value, expires_at: seconds(expiresAt), permissions: token.permissions }
  if (!limited) return ok({ ...answer, repository_selection: one.selection }, 201)
  const repositories = limited.map((repository) => wholeRepository(call.host, repository))
  return ok({ ...answer, repository_selection: 'selected', repositories }, 201)
}

function narrowed(all: Repository[], { repositories, repository_ids: ids }: Narrowing): Repository[] | null {
  if (!repositories && !ids) return null
  const names = (repositories ?? []).map((name) => name.toLowerCase())
  const found = all.filter(({ name, id }) => names.includes(name.toLowerCase()) || ids?.includes(id))
  const wanted = new Set([...names, ...(ids ?? [])]).size
  if (wanted > MOST_NAMED) throw new ApiError(422, `A token may be limited to at most ${MOST_NAMED} repositories.`)
  const known = (name: string | number) => all.some((one) => one.id === name || one.name.toLowerCase() === name)
  if (![...names, ...(ids ?? [])].every(known)) {
    const missing =
      'There is at least one repository that does not exist or is not accessible to the parent installation.'
    throw new ApiError(422, missing)
  }
  return found
}

/** Such a token is not 40 characters long but carries a JWT: `ghs_<app>_<header>.<claims>.<signature>`. */
function tokenText({ app, id }: Installation, expiresAt: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'lab', sub: id, jti: randomBytes(16).toString('hex'), exp: Math.floor(expiresAt / 1000) }
  const signature = randomBytes(256).toString('base64url')
  return `ghs_${app.id}_${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}.${signature}`
}

/** What the person's own token can reach of its app: explicit access to any of the repositories is enough to be listed. */
function reachable({ host, actor }: Call): Installation[] {
  const user = requireUser(actor)
  const app = actor.kind === 'token' ? actor.token.app : null
  if (!app) throw new ApiError(403, 'You must authenticate with an access token authorized to a GitHub App')
  const isMember = ({ account }: Installation) => account.id === user.id || account.members.has(user.login)
  const isInvited = (one: Installation) =>
    coveredBy(host, one).some(({ collaborators }) => collaborators.has(user.login))
  return [...host.installations.values()].filter((one) => one.app.id === app.id && (isMember(one) || isInvited(one)))
}

function reachableRepositories(call: Call): Answer {
  const user = requireUser(call.actor)
  const one = reachable(call).find(({ id }) => String(id) === call.param('id'))
  if (!one) throw notFound()
  const visible = coveredBy(call.host, one).filter((repository) => roleOf(user, repository) !== 'none')
  const shape = (repository: Repository) =>
    wholeRepository(call.host, repository, roleFor(call.host, call.actor, repository))
  return counted(call, 'repositories', visible, shape, { repository_selection: one.selection })
}

function requireInstallationToken({ actor }: Call) {
  const token = actor.kind === 'token' ? actor.token : null
  if (!token?.installation) throw new ApiError(403, 'You must authenticate with an installation access token')
  return { ...token, installation: token.installation }
}

export const installationRoutes = [
  route('GET /app/installations/:id', (call) => ok(installationShape(call.host, requireOwn(call)))),
  route('DELETE /app/installations/:id', (call) => {
    const one = requireOwn(call)
    uninstall(call.host, one, one.account)
    return noContent()
  }),
  ...(['PUT', 'DELETE'] as const).map((method) =>
    route(`${method} /app/installations/:id/suspended`, (call) => {
      const one = requireOwn(call)
      suspend(call.host, one, one.account, method === 'PUT')
      return noContent()
    }),
  ),
  route('POST /app/installations/:id/access_tokens', mint),
  route('GET /installation/repositories', (call) => {
    const { installation, repositoryIds } = requireInstallationToken(call)
    refuseSuspended(installation)
    const covered = coveredBy(call.host, installation).filter(({ id }) => repositoryIds?.has(id) ?? true)
    const shape = (repository: Repository) => wholeRepository(call.host, repository, 'write')
    return counted(call, 'repositories', covered, shape, { repository_selection: installation.selection })
  }),
  route('DELETE /installation/token', (call) => {
    call.host.tokens.delete(requireInstallationToken(call).value)
    return noContent()
  }),
  route('GET /user/installations', (call) =>
    counted(call, 'installations', reachable(call), (one) => installationShape(call.host, one)),
  ),
  route('GET /user/installations/:id/repositories', reachableRepositories),
]
