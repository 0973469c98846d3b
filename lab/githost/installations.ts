import { tellInstallation } from './events/tell.ts'
import { coveredBy, now } from './host.ts'
import type { Account, App, Host, Installation, Repository } from './model.ts'
import { namedRepository } from './shapes/repository.ts'

/** `only` null means all repositories, also those to come. */
export function install(host: Host, app: App, account: Account, by: Account, only: Repository[] | null): Installation {
  const one: Installation = {
    id: host.nextId(),
    app,
    account,
    selection: only ? 'selected' : 'all',
    repositoryIds: new Set(only?.map(({ id }) => id)),
    permissions: { metadata: 'read', ...app.permissions },
    events: app.events,
    suspendedAt: null,
    suspendedBy: null,
    createdAt: now(),
    updatedAt: now(),
  }
  host.installations.set(one.id, one)
  tell(host, one, 'created', by, { requester: null })
  return one
}

export function uninstall(host: Host, one: Installation, by: Account): void {
  tell(host, one, 'deleted', by)
  host.installations.delete(one.id)
}

export function suspend(host: Host, one: Installation, by: Account, on: boolean): void {
  one.suspendedAt = on ? now() : null
  one.suspendedBy = on ? by : null
  tell(host, one, on ? 'suspend' : 'unsuspend', by)
}

/** The owner agrees to what the app has asked for since it was installed. */
export function acceptPermissions(host: Host, one: Installation, by: Account): void {
  one.permissions = { metadata: 'read', ...one.app.permissions }
  one.events = one.app.events
  tell(host, one, 'new_permissions_accepted', by)
}

function tell(host: Host, one: Installation, action: string, sender: Account, more = {}): void {
  const repositories = coveredBy(host, one).map(namedRepository)
  tellInstallation(host, one, { event: 'installation', action, sender, more: { repositories, ...more } })
}

export function selectRepositories(host: Host, one: Installation, by: Account, only: Repository[] | null): void {
  const before = new Set(coveredBy(host, one))
  one.selection = only ? 'selected' : 'all'
  one.repositoryIds = new Set(only?.map(({ id }) => id))
  one.updatedAt = now()
  const after = new Set(coveredBy(host, one))
  const without = (these: Set<Repository>, those: Set<Repository>) => [...these].filter((one) => !those.has(one))
  const named = (these: Repository[]) => these.map(namedRepository)
  const [added, removed] = [named(without(after, before)), named(without(before, after))]
  const say = (action: 'added' | 'removed') => {
    const lists =
      action === 'added'
        ? { repositories_added: added, repositories_removed: [] }
        : { repositories_added: [], repositories_removed: removed }
    const more = { repository_selection: one.selection, ...lists, requester: null }
    tellInstallation(host, one, { event: 'installation_repositories', action, sender: by, more })
  }
  if (added.length > 0) say('added')
  if (removed.length > 0) say('removed')
}
