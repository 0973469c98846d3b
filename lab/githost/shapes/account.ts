import { nodeId } from '../host.ts'
import type { Account, Host } from '../model.ts'

// Bodies as GitHub's own description has them; `bin/prove githost-lab` holds each of them against it.

/** `name_url` for each path below an address; what stands in braces is for the client to fill in. */
export const urlsBelow = (url: string, paths: string, names: Record<string, string> = {}) =>
  Object.fromEntries(
    paths.split(' ').map((path) => {
      const plain = path.replace(/\{.*/, '')
      return [`${names[plain] ?? plain}_url`, `${url}/${path}`]
    }),
  )

/** The same value under many names. */
export const each = <T>(names: string, value: T): Record<string, T> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]))

const USER_PATHS =
  'followers following{/other_user} gists{/gist_id} starred{/owner}{/repo} subscriptions orgs repos events{/privacy} received_events'

export function simpleUser(host: Host, { login, id, type }: Account) {
  const url = `${host.api}/users/${login}`
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `https://${host.name}/avatars/u/${id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `https://${host.name}/${login}`,
    ...urlsBelow(url, USER_PATHS, { orgs: 'organizations' }),
    type,
    user_view_type: 'public',
    site_admin: false,
  }
}

export const publicUser = (host: Host, account: Account) => ({
  ...simpleUser(host, account),
  name: account.login,
  blog: '',
  ...each('company location email hireable bio twitter_username', null),
  ...each('public_repos public_gists followers following', 0),
  ...each('created_at updated_at', account.createdAt),
})

/** What only the person sees. */
export const privateUser = (host: Host, account: Account) => ({
  ...publicUser(host, account),
  ...each('private_gists total_private_repos owned_private_repos disk_usage collaborators', 0),
  two_factor_authentication: true,
})

export function simpleOrganization(host: Host, { login, id }: Account) {
  const url = `${host.api}/orgs/${login}`
  return {
    login,
    id,
    node_id: nodeId('Organization', id),
    url,
    ...urlsBelow(url, 'repos events hooks issues members{/member} public_members{/member}'),
    avatar_url: `https://${host.name}/avatars/u/${id}?v=4`,
    description: null,
  }
}

export const fullOrganization = (host: Host, organization: Account) => ({
  ...simpleOrganization(host, organization),
  name: organization.login,
  html_url: `https://${host.name}/${organization.login}`,
  ...each('has_organization_projects has_repository_projects', true),
  ...each('public_repos public_gists followers following', 0),
  type: 'Organization',
  ...each('created_at updated_at', organization.createdAt),
  archived_at: null,
})
