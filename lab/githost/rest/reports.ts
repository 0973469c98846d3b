import { requireRepository } from '../access.ts'
import { type Answer, ApiError, invalid, notFound, ok } from '../answer.ts'
import { resolveCommit } from '../git/run.ts'
import { nodeId, now } from '../host.ts'
import type { Json } from '../model.ts'
import { type Call, list, route } from '../route.ts'
import { simpleUser } from '../shapes/account.ts'
import { integration } from '../shapes/app.ts'
import { minimalRepository, repositoryUrl } from '../shapes/repository.ts'
import { senderOf } from './repositories.ts'

const times = () => ({ created_at: now(), updated_at: now() })
const STATES = ['error', 'failure', 'pending', 'success']
const MOST_STATUSES = 1000
const MOST_DESCRIPTION = 140

async function createStatus(call: Call): Promise<Answer> {
  const { host, body } = call
  const repository = requireRepository(call, 'statuses', 'write')
  const sha = call.param('sha')
  const { state, target_url = null, description = null, context = 'default' } = body
  if (!STATES.includes(String(state))) throw invalid('Status', 'state', 'custom')
  if ((await resolveCommit(repository, sha)) !== sha) throw new ApiError(422, `No commit found for SHA: ${sha}`)
  if (String(description).length > MOST_DESCRIPTION)
    throw invalid(
      'Status',
      'description',
      'custom',
      `description is too long (maximum is ${MOST_DESCRIPTION} characters)`,
    )
  const same = repository.statuses.filter((one) => one.sha === sha && one.shown.context === context)
  if (same.length >= MOST_STATUSES)
    throw new ApiError(422, 'This SHA and context has reached the maximum number of statuses.')
  const id = host.nextId()
  const creator = simpleUser(host, senderOf(call, repository))
  const { avatar_url } = creator
  const url = `${repositoryUrl(host, repository)}/statuses/${sha}`
  const said = { state, description, target_url, context }
  const shown = { url, avatar_url, id, node_id: nodeId('Status', id), ...said, ...times(), creator }
  repository.statuses.unshift({ sha, shown })
  return ok(shown, 201)
}

async function statusesOf(call: Call) {
  const repository = requireRepository(call, 'statuses')
  const sha = await resolveCommit(repository, call.param('ref'))
  if (!sha) throw notFound()
  const statuses = repository.statuses.filter((one) => one.sha === sha).map(({ shown }) => shown)
  return { repository, sha, statuses }
}

async function combinedStatus(call: Call): Promise<Answer> {
  const { repository, sha, statuses } = await statusesOf(call)
  const latest = [...new Map(statuses.toReversed().map((one) => [one.context, one])).values()]
  const has = (...states: string[]) => latest.some((one) => states.includes(String(one.state)))
  const open = has('pending') || latest.length === 0 ? 'pending' : 'success'
  const url = `${repositoryUrl(call.host, repository)}/commits/${sha}`
  return ok({
    state: has('failure', 'error') ? 'failure' : open,
    statuses: latest.map(({ creator: _, ...one }) => one),
    sha,
    total_count: latest.length,
    repository: minimalRepository(call.host, repository),
    commit_url: url,
    url: `${url}/status`,
  })
}

function requireCheckRun(call: Call, level: 'read' | 'write'): Json {
  const repository = requireRepository(call, 'checks', level)
  const found = repository.checkRuns.find(({ id }) => String(id) === call.param('id'))
  if (!found) throw notFound()
  return found
}

function checkRun(call: Call, known: Json | null): Json {
  const repository = requireRepository(call, 'checks', 'write')
  const app = call.actor.kind === 'token' ? call.actor.token.app : null
  if (!app) throw new ApiError(403, 'You must authenticate via a GitHub App.')
  const given: Json = { ...known, ...call.body }
  const id = Number(known?.id ?? call.host.nextId())
  const url = `${repositoryUrl(call.host, repository)}/check-runs/${id}`
  const { title = null, summary = null, text = null } = (given.output ?? {}) as Json
  const completed = given.conclusion !== undefined && given.conclusion !== null
  return {
    id,
    node_id: nodeId('CheckRun', id),
    head_sha: given.head_sha,
    name: given.name,
    external_id: given.external_id ?? '',
    url,
    html_url: `https://${call.host.name}/runs/${id}`,
    details_url: given.details_url ?? null,
    status: completed ? 'completed' : (given.status ?? 'queued'),
    conclusion: given.conclusion ?? null,
    started_at: given.started_at ?? now(),
    completed_at: completed ? (given.completed_at ?? now()) : null,
    output: { title, summary, text, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: { id: 1 },
    app: integration(call.host, app),
    pull_requests: [],
  }
}

export const reportRoutes = [
  route('POST /repos/:owner/:repo/statuses/:sha', createStatus),
  route('GET /repos/:owner/:repo/commits/:ref/status', combinedStatus),
  route('GET /repos/:owner/:repo/commits/:ref/statuses', async (call) =>
    list(call, (await statusesOf(call)).statuses, (one) => one),
  ),
  route('POST /repos/:owner/:repo/check-runs', (call) => {
    const repository = requireRepository(call, 'checks', 'write')
    const made = checkRun(call, null)
    repository.checkRuns.unshift(made)
    return ok(made, 201)
  }),
  route('GET /repos/:owner/:repo/check-runs/:id', (call) => ok(requireCheckRun(call, 'read'))),
  route('PATCH /repos/:owner/:repo/check-runs/:id', (call) => {
    const known = requireCheckRun(call, 'write')
    return ok(Object.assign(known, checkRun(call, known)))
  }),
]
