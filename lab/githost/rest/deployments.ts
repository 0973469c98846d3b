import { requireRepository } from '../access.ts'
import { type Answer, ApiError, invalid, notFound, ok } from '../answer.ts'
import { resolveCommit } from '../git/run.ts'
import { nodeId, now } from '../host.ts'
import type { Repository } from '../model.ts'
import { type Call, list, route } from '../route.ts'
import { simpleUser } from '../shapes/account.ts'
import { repositoryUrl } from '../shapes/repository.ts'
import { senderOf } from './repositories.ts'

async function create(call: Call): Promise<Answer> {
  const { host, body } = call
  const repository = requireRepository(call, 'deployments', 'write')
  const ref = String(body.ref)
  const sha = await resolveCommit(repository, ref)
  if (!sha) throw new ApiError(422, `No ref found for: ${ref}`)
  refuseUnlessGreen(repository, sha, ref, body.required_contexts)
  const { environment = 'production', description = null, payload = {}, task = 'deploy' } = body
  const id = host.nextId()
  const url = `${repositoryUrl(host, repository)}/deployments/${id}`
  const shown = {
    url,
    id,
    node_id: nodeId('Deployment', id),
    task,
    original_environment: environment,
    environment,
    description,
    created_at: now(),
    updated_at: now(),
    statuses_url: `${url}/statuses`,
    repository_url: repositoryUrl(host, repository),
    creator: simpleUser(host, senderOf(call, repository)),
    sha,
    ref,
    payload,
    transient_environment: body.transient_environment === true,
    production_environment: environment === 'production',
  }
  repository.deployments.unshift({ shown, statuses: [] })
  return ok(shown, 201)
}

/** Without `required_contexts: []`, a pending status of one's own stands in the way of one's own deployment. */
function refuseUnlessGreen(repository: Repository, sha: string, ref: string, wanted: unknown): void {
  const statuses = repository.statuses.filter((one) => one.sha === sha).map(({ shown }) => shown)
  const contexts = Array.isArray(wanted) ? wanted : statuses.map(({ context }) => context)
  const isGreen = (context: unknown) => statuses.find((one) => one.context === context)?.state === 'success'
  if (!contexts.every(isGreen)) throw new ApiError(409, `Conflict: Commit status checks failed for ${ref}.`)
}

function requireDeployment(call: Call, level: 'read' | 'write') {
  const repository = requireRepository(call, 'deployments', level)
  const found = repository.deployments.find(({ shown }) => String(shown.id) === call.param('id'))
  if (!found) throw notFound()
  return { repository, found }
}

const STATES = ['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']

function createStatus(call: Call): Answer {
  const { host } = call
  const { repository, found } = requireDeployment(call, 'write')
  const { state, description = '', log_url = '', environment_url = '', auto_inactive = true } = call.body
  if (!STATES.includes(String(state))) throw invalid('DeploymentStatus', 'state', 'custom')
  const id = host.nextId()
  const { url, environment } = found.shown
  const status = {
    url: `${url}/statuses/${id}`,
    id,
    node_id: nodeId('DeploymentStatus', id),
    state,
    creator: simpleUser(host, senderOf(call, repository)),
    description,
    environment,
    target_url: log_url,
    log_url,
    environment_url,
    created_at: now(),
    updated_at: now(),
    deployment_url: url,
    repository_url: repositoryUrl(host, repository),
  }
  found.statuses.unshift(status)
  // As documented: only older ones that are neither transient nor of production become inactive by themselves.
  const ends = repository.deployments.filter(
    ({ shown }) =>
      shown !== found.shown &&
      shown.environment === environment &&
      !shown.transient_environment &&
      !shown.production_environment,
  )
  if (state === 'success' && auto_inactive)
    for (const { statuses } of ends) statuses.unshift({ ...status, state: 'inactive' })
  return ok(status, 201)
}

export const deploymentRoutes = [
  route('POST /repos/:owner/:repo/deployments', create),
  route('GET /repos/:owner/:repo/deployments', (call) =>
    list(call, requireRepository(call, 'deployments').deployments, ({ shown }) => shown),
  ),
  route('GET /repos/:owner/:repo/deployments/:id', (call) => ok(requireDeployment(call, 'read').found.shown)),
  route('POST /repos/:owner/:repo/deployments/:id/statuses', createStatus),
  route('GET /repos/:owner/:repo/deployments/:id/statuses', (call) =>
    list(call, requireDeployment(call, 'read').found.statuses, (one) => one),
  ),
]
