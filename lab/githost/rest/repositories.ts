import { requireRepository, roleFor } from '../access.ts'
import { type Answer, ApiError, invalid, noContent, notByIntegration, notFound, ok } from '../answer.ts'
import { requireUser } from '../credentials.ts'
import { tellRepository } from '../events/tell.ts'
import { findAccount, findRepository, now, repositoryById } from '../host.ts'
import type { Account, Repository } from '../model.ts'
import { addRepository, removeRepository, renameRepository, transferRepository } from '../repositories.ts'
import { type Call, route } from '../route.ts'
import { fullRepository, minimalRepository } from '../shapes/repository.ts'
import { requireAccount } from './accounts.ts'

/** Whose name stands on what a call does: the person, or for an app the owner. */
export const senderOf = ({ actor }: Call, { owner }: Repository): Account =>
  (actor.kind === 'token' && actor.token.user) || owner

function shown(call: Call, repository: Repository, status = 200): Answer {
  const role = roleFor(call.host, call.actor, repository)
  const headers = { 'last-modified': new Date(repository.updatedAt).toUTCString() }
  return ok(fullRepository(call.host, repository, role), status, headers)
}

async function create(call: Call, owner: Account): Promise<Answer> {
  const { name, private: isPrivate, description, auto_init: autoInit } = call.body
  if (typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name)) throw invalid('Repository', 'name', 'missing_field')
  if (findRepository(call.host, owner.login, name)) {
    const taken = {
      resource: 'Repository',
      code: 'custom',
      field: 'name',
      message: 'name already exists on this account',
    }
    throw new ApiError(422, 'Repository creation failed.', { errors: [taken] })
  }
  const repository = await addRepository(call.host, owner, name, {
    private: isPrivate === true,
    description: typeof description === 'string' ? description : null,
    autoInit: autoInit === true,
  })
  const sender = senderOf(call, repository)
  tellRepository(call.host, repository, { event: 'repository', action: 'created', sender })
  return shown(call, repository, 201)
}

/** Apps cannot at all, neither by their own token nor in a person's name. */
function createForUser(call: Call) {
  const user = requireUser(call.actor)
  const token = call.actor.kind === 'token' ? call.actor.token : null
  if (token?.kind === 'user') throw notByIntegration()
  if (!token?.scopes.includes('repo') && !token?.scopes.includes('public_repo')) throw notFound()
  return create(call, user)
}

function createInOrganization(call: Call) {
  if (call.actor.kind !== 'token') throw new ApiError(401, 'Requires authentication')
  const organization = requireAccount(call, call.param('org'), 'Organization')
  const { installation, permissions, user } = call.actor.token
  if (installation) {
    const may = installation.account.id === organization.id && permissions.administration === 'write'
    if (!may) throw notByIntegration()
  } else if (!organization.members.has(user?.login ?? '')) throw notFound()
  return create(call, organization)
}

function change(call: Call): Answer {
  const repository = requireRepository(call, 'administration', 'write')
  const { name, private: isPrivate, default_branch: branch, description } = call.body
  if (typeof name === 'string' && name !== repository.name) {
    if (findRepository(call.host, repository.owner.login, name)) throw invalid('Repository', 'name', 'already_exists')
    renameRepository(call.host, repository, name, senderOf(call, repository))
  }
  if (typeof isPrivate === 'boolean') repository.private = isPrivate
  if (typeof branch === 'string') repository.defaultBranch = branch
  if (typeof description === 'string') repository.description = description
  repository.updatedAt = now()
  return shown(call, repository)
}

function remove(call: Call): Answer {
  const repository = requireRepository(call, 'administration', 'write')
  const token = call.actor.kind === 'token' ? call.actor.token : null
  const needsScope = token?.kind === 'pat' || token?.kind === 'oauth'
  if (needsScope && !token.scopes.includes('delete_repo'))
    throw new ApiError(403, 'Must have admin rights to Repository.')
  removeRepository(call.host, repository, senderOf(call, repository))
  return noContent()
}

function transfer(call: Call): Answer {
  const repository = requireRepository(call, 'administration', 'write')
  const owner = findAccount(call.host, String(call.body.new_owner))
  if (!owner) throw invalid('Repository', 'new_owner', 'invalid')
  transferRepository(call.host, repository, owner, senderOf(call, repository))
  return ok(minimalRepository(call.host, repository), 202)
}

export const repositoryRoutes = [
  route('POST /user/repos', createForUser),
  route('POST /orgs/:org/repos', createInOrganization),
  route('GET /repos/:owner/:repo', (call) => shown(call, requireRepository(call))),
  route('PATCH /repos/:owner/:repo', change),
  route('DELETE /repos/:owner/:repo', remove),
  route('POST /repos/:owner/:repo/transfer', transfer),
  // Not described, but it is where a former name leads.
  route('GET /repositories/:id', (call) => {
    const repository = repositoryById(call.host, Number(call.param('id')))
    if (!repository || roleFor(call.host, call.actor, repository) === 'none') throw notFound()
    return shown(call, repository)
  }),
]
