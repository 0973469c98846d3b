import { guardAccount, requireRepository, roleFor, visibleOf } from '../access.ts'
import { type Answer, notFound, ok } from '../answer.ts'
import { requireUser } from '../credentials.ts'
import { findAccount, repositoriesOf, roleOf } from '../host.ts'
import { rateOf } from '../limits.ts'
import type { Account, Host, Repository, Role } from '../model.ts'
import { type Call, list, route } from '../route.ts'
import { each, fullOrganization, privateUser, publicUser, simpleOrganization, simpleUser } from '../shapes/account.ts'
import { minimalRepository, wholeRepository } from '../shapes/repository.ts'

const ROOT = [
  'current_user current_user_authorizations_html authorizations code_search commit_search emails emojis events feeds',
  'followers following gists hub issue_search issues keys label_search notifications organization',
  'organization_repositories organization_teams public_gists rate_limit repository repository_search',
  'current_user_repositories starred starred_gists topic_search user user_organizations user_repositories user_search',
].join(' ')

type Shape = (host: Host, repository: Repository, role: Role) => unknown

function listRepositories(call: Call, repositories: Repository[], shape: Shape): Answer {
  const { visible, headers } = visibleOf(call, repositories)
  const byName = (a: Repository, b: Repository) =>
    a.owner.login.localeCompare(b.owner.login) || a.name.localeCompare(b.name)
  const newest = (a: Repository, b: Repository) => (b.pushedAt ?? '').localeCompare(a.pushedAt ?? '') || b.id - a.id
  const sorted = visible.sort(/^(pushed|updated)$/.test(call.query('sort') ?? '') ? newest : byName)
  return list(call, sorted, (one) => shape(call.host, one, roleFor(call.host, call.actor, one)), headers)
}

export function requireAccount({ host }: Call, login: string, type?: Account['type']): Account {
  const account = findAccount(host, login)
  if (!account || (type && account.type !== type)) throw notFound()
  return account
}

const requireOrganization = (call: Call) => {
  const organization = requireAccount(call, call.param('org'), 'Organization')
  guardAccount(call, organization)
  return organization
}

function ownRepositories(call: Call): Repository[] {
  const user = requireUser(call.actor)
  const wanted = call.query('affiliation')?.split(',') ?? ['owner', 'collaborator', 'organization_member']
  const affiliation = ({ owner }: Repository) => {
    if (owner.id === user.id) return 'owner'
    return owner.members.has(user.login) ? 'organization_member' : 'collaborator'
  }
  const isOwn = ({ owner, collaborators }: Repository) =>
    owner.id === user.id || owner.members.has(user.login) || collaborators.has(user.login)
  return [...call.host.repositories.values()].filter((one) => isOwn(one) && wanted.includes(affiliation(one)))
}

function membership(call: Call, login: string): Answer {
  const user = requireAccount(call, login)
  const organization = requireOrganization(call)
  const role = organization.members.get(user.login)
  if (!role) throw notFound()
  const url = `${call.host.api}/orgs/${organization.login}`
  return ok({
    url: `${url}/memberships/${user.login}`,
    state: 'active',
    role,
    organization_url: url,
    organization: simpleOrganization(call.host, organization),
    user: simpleUser(call.host, user),
  })
}

/** The level of one person, whoever asks: this is how an admin of a repository is told from a reader. */
function permissionOf(call: Call): Answer {
  const repository = requireRepository(call, 'metadata', 'read')
  const person = requireAccount(call, call.param('username'))
  const role = roleOf(person, repository)
  const { permissions } = minimalRepository(call.host, repository, role)
  const user = { ...simpleUser(call.host, person), permissions, role_name: role }
  return ok({ permission: role, role_name: role, user })
}

const LOOPBACK = ['127.0.0.0/8']

export const accountRoutes = [
  route('GET /', ({ host }) => {
    const urls = ROOT.split(' ').map((name) => [`${name}_url`, `${host.api}/${name}`])
    return ok(Object.fromEntries(urls))
  }),
  route('GET /meta', () => ok({ verifiable_password_authentication: false, ...each('hooks web api git', LOOPBACK) })),
  route('GET /rate_limit', ({ host, actor }) => {
    const [core, graphql] = [rateOf(host, actor), rateOf(host, actor, 'graphql')]
    const search = { ...core, limit: 30, remaining: 30, used: 0 }
    return ok({ resources: { core, graphql, search }, rate: core })
  }),
  route('GET /user', ({ host, actor }) => ok(privateUser(host, requireUser(actor)))),
  route('GET /user/orgs', (call) => {
    const { login } = requireUser(call.actor)
    const own = [...call.host.accounts.values()].filter(({ members }) => members.has(login))
    return list(call, own, (one) => simpleOrganization(call.host, one))
  }),
  route('GET /user/memberships/orgs/:org', (call) => membership(call, requireUser(call.actor).login)),
  route('GET /user/repos', (call) => listRepositories(call, ownRepositories(call), wholeRepository)),
  route('GET /users/:username', (call) => ok(publicUser(call.host, requireAccount(call, call.param('username'))))),
  // Public ones only, whoever asks.
  route('GET /users/:username/repos', (call) => {
    const account = requireAccount(call, call.param('username'))
    const open = repositoriesOf(call.host, account).filter((one) => !one.private)
    return listRepositories(call, open, minimalRepository)
  }),
  route('GET /orgs/:org', (call) => ok(fullOrganization(call.host, requireOrganization(call)))),
  route('GET /orgs/:org/repos', (call) =>
    listRepositories(call, repositoriesOf(call.host, requireOrganization(call)), minimalRepository),
  ),
  route('GET /orgs/:org/memberships/:username', (call) => {
    requireUser(call.actor)
    return membership(call, call.param('username'))
  }),
  route('GET /repos/:owner/:repo/collaborators/:username/permission', permissionOf),
]
