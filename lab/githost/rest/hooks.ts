import { requireRepository } from '../access.ts'
import { type Answer, ApiError, invalid, noContent, notFound, ok } from '../answer.ts'
import { listDeliveries, repeatDelivery, showDelivery } from '../events/log.ts'
import { hookReceiver, tellPing } from '../events/tell.ts'
import { now } from '../host.ts'
import type { Hook, Json } from '../model.ts'
import { type Call, list, route } from '../route.ts'
import { hookShape } from '../shapes/app.ts'
import { senderOf } from './repositories.ts'

const MOST_HOOKS = 20

function requireHook(call: Call, level: 'read' | 'write') {
  const repository = requireRepository(call, 'repository_hooks', level)
  const hook = repository.hooks.get(Number(call.param('hook')))
  if (!hook) throw notFound()
  return { repository, hook }
}

const refuse = (message: string, field?: string) => {
  const error = { resource: 'Hook', code: 'custom', message, ...(field && { field }) }
  return new ApiError(422, 'Validation Failed', { errors: [error] })
}

function configOf({ body }: Call, before?: Hook['config']): Hook['config'] {
  const wanted: Json = { ...before, ...(body.config as Json | undefined) }
  const { url, secret } = wanted
  if (typeof url !== 'string' || !URL.canParse(url)) throw refuse('url is missing a scheme', 'url')
  return {
    url,
    content_type: wanted.content_type === 'json' ? 'json' : 'form',
    insecure_ssl: String(wanted.insecure_ssl ?? '0') === '1' ? '1' : '0',
    ...(secret !== undefined && { secret: String(secret) }),
  }
}

function create(call: Call): Answer {
  const { host, body } = call
  const repository = requireRepository(call, 'repository_hooks', 'write')
  const config = configOf(call)
  const events = (body.events as string[] | undefined) ?? ['push']
  if (events.length === 0) throw invalid('Hook', 'events', 'missing_field')
  const rivals = [...repository.hooks.values()].filter((one) => one.events.some((event) => events.includes(event)))
  if (rivals.some((one) => one.config.url === config.url)) throw refuse('Hook already exists on this repository')
  if (rivals.length >= MOST_HOOKS) throw refuse(`The "${events[0]}" event cannot have more than ${MOST_HOOKS} hooks`)
  const hook: Hook = {
    id: host.nextId(),
    config,
    events,
    active: body.active !== false,
    createdAt: now(),
    updatedAt: now(),
    lastResponse: { code: null, status: 'unused', message: null },
    deliveries: [],
  }
  repository.hooks.set(hook.id, hook)
  if (hook.active) tellPing(host, repository, hook, senderOf(call, repository))
  return ok(hookShape(host, repository, hook), 201)
}

function change(call: Call): Answer {
  const { repository, hook } = requireHook(call, 'write')
  const { config, events, active } = call.body
  if (config) hook.config = configOf(call, hook.config)
  if (Array.isArray(events)) hook.events = events as string[]
  if (typeof active === 'boolean') hook.active = active
  hook.updatedAt = now()
  return ok(hookShape(call.host, repository, hook))
}

const HOOK = '/repos/:owner/:repo/hooks/:hook'

export const hookRoutes = [
  route('GET /repos/:owner/:repo/hooks', (call) => {
    const repository = requireRepository(call, 'repository_hooks')
    return list(call, [...repository.hooks.values()], (one) => hookShape(call.host, repository, one))
  }),
  route('POST /repos/:owner/:repo/hooks', create),
  route(`GET ${HOOK}`, (call) => {
    const { repository, hook } = requireHook(call, 'read')
    return ok(hookShape(call.host, repository, hook))
  }),
  route(`PATCH ${HOOK}`, change),
  route(`DELETE ${HOOK}`, (call) => {
    const { repository, hook } = requireHook(call, 'write')
    repository.hooks.delete(hook.id)
    return noContent()
  }),
  route(`POST ${HOOK}/pings`, (call) => {
    const { repository, hook } = requireHook(call, 'read')
    tellPing(call.host, repository, hook, senderOf(call, repository))
    return noContent()
  }),
  route(`GET ${HOOK}/deliveries`, (call) => listDeliveries(call, requireHook(call, 'read').hook.deliveries)),
  route(`GET ${HOOK}/deliveries/:delivery`, (call) => showDelivery(call, requireHook(call, 'read').hook.deliveries)),
  route(`POST ${HOOK}/deliveries/:delivery/attempts`, (call) => {
    const { repository, hook } = requireHook(call, 'write')
    return repeatDelivery(call, hookReceiver(repository, hook))
  }),
]
