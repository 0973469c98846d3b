import { nodeId } from '../host.ts'
import type { App, Hook, Host, Installation, Repository } from '../model.ts'
import { each, simpleUser } from './account.ts'
import { repositoryUrl } from './repository.ts'

export const integration = (host: Host, app: App) => ({
  id: app.id,
  slug: app.slug,
  node_id: nodeId('App', app.id),
  client_id: app.clientId,
  owner: simpleUser(host, app.owner),
  name: app.name,
  description: '',
  external_url: 'https://example.com',
  html_url: `https://${host.name}/apps/${app.slug}`,
  ...each('created_at updated_at', app.createdAt),
  permissions: app.permissions,
  events: app.events,
})

export function installationShape(host: Host, one: Installation) {
  const { id, app, account } = one
  const settings = account.type === 'User' ? 'settings' : `organizations/${account.login}/settings`
  return {
    id,
    client_id: app.clientId,
    account: simpleUser(host, account),
    repository_selection: one.selection,
    access_tokens_url: `${host.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${host.api}/installation/repositories`,
    html_url: `https://${host.name}/${settings}/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: one.permissions,
    events: one.events,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: one.suspendedBy && simpleUser(host, one.suspendedBy),
    suspended_at: one.suspendedAt,
  }
}

export function hookShape(host: Host, repository: Repository, { id, config, ...hook }: Hook) {
  const url = `${repositoryUrl(host, repository)}/hooks/${id}`
  return {
    type: 'Repository',
    id,
    name: 'web',
    active: hook.active,
    events: hook.events,
    config: { ...config, ...(config.secret !== undefined && { secret: '********' }) },
    created_at: hook.createdAt,
    updated_at: hook.updatedAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: hook.lastResponse,
  }
}
