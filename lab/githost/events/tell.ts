import { covers, nodeId } from '../host.ts'
import type { Account, App, Hook, Host, Installation, Json, Repository } from '../model.ts'
import { simpleOrganization, simpleUser } from '../shapes/account.ts'
import { hookShape, installationShape } from '../shapes/app.ts'
import { wholeRepository } from '../shapes/repository.ts'
import { deliver, type Receiver } from './deliver.ts'
import type { Event } from './delivery.ts'

export const hookReceiver = (repository: Repository, hook: Hook): Receiver => ({
  kind: 'repository',
  id: hook.id,
  targetId: repository.id,
  url: hook.config.url,
  secret: hook.config.secret ?? null,
  isForm: hook.config.content_type === 'form',
  log: hook.deliveries,
  hook,
})

export const appReceiver = (app: App): Receiver => ({
  kind: 'integration',
  id: app.id + 500_000_000,
  targetId: app.id,
  url: app.hookUrl ?? '',
  secret: app.webhookSecret,
  isForm: false,
  log: app.deliveries,
  hook: null,
})

export type Told = { event: string; action?: string; sender: Account; more?: Json }

/** To the repository's own hooks, and to every app that is installed on it and listens. */
export function tellRepository(host: Host, repository: Repository, { event, action, sender, more }: Told): void {
  const { owner, hooks } = repository
  const payload = {
    ...(action && { action }),
    repository: wholeRepository(host, repository),
    ...(owner.type === 'Organization' && { organization: simpleOrganization(host, owner) }),
    sender: simpleUser(host, sender),
    ...more,
  }
  const told: Event = { event, action: action ?? null, installationId: null, repositoryId: repository.id, payload }
  for (const hook of hooks.values())
    if (hook.active && (hook.events.includes(event) || hook.events.includes('*')))
      deliver(host, hookReceiver(repository, hook), told)
  for (const one of host.installations.values()) {
    const { id, app, events, suspendedAt } = one
    if (suspendedAt || !events.includes(event) || !listens(app) || !covers(one, repository)) continue
    const installation = { id, node_id: nodeId('Installation', id) }
    deliver(host, appReceiver(app), { ...told, installationId: id, payload: { ...payload, installation } })
  }
}

/** What happens to an installation reaches its app always, subscribed or not. */
export function tellInstallation(host: Host, one: Installation, { event, action, sender, more }: Told): void {
  if (!listens(one.app)) return
  const payload = { action, installation: installationShape(host, one), ...more, sender: simpleUser(host, sender) }
  const told: Event = { event, action: action ?? null, installationId: one.id, repositoryId: null, payload }
  deliver(host, appReceiver(one.app), told)
}

/** Someone took back what they had allowed the app to do in their name. */
export function tellRevoked(host: Host, app: App, person: Account): void {
  if (!listens(app)) return
  const payload = { action: 'revoked', sender: simpleUser(host, person) }
  const named = { event: 'github_app_authorization', action: 'revoked' }
  deliver(host, appReceiver(app), { ...named, installationId: null, repositoryId: null, payload })
}

export function tellPing(host: Host, repository: Repository, hook: Hook, sender: Account): void {
  const payload = {
    zen: 'Keep it logically awesome.',
    hook_id: hook.id,
    hook: hookShape(host, repository, hook),
    repository: wholeRepository(host, repository),
    sender: simpleUser(host, sender),
  }
  const told = { event: 'ping', action: null, installationId: null, repositoryId: repository.id, payload }
  deliver(host, hookReceiver(repository, hook), told)
}

const listens = ({ hookUrl, hookActive }: App) => hookActive && hookUrl !== null && hookUrl !== ''
