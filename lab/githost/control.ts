import { addApp, addKey, type NewApp } from './apps.ts'
import { tellRevoked } from './events/tell.ts'
import { addAccount, addToken, appBySlug, findAccount, findRepository, randomText } from './host.ts'
import { acceptPermissions, install, selectRepositories, suspend, uninstall } from './installations.ts'
import type { Account, App, Host, Installation, Level, Repository } from './model.ts'
import { type PushedFile, pushFile } from './push-file.ts'
import { addRepository, type NewRepository, removeRepository, transferRepository } from './repositories.ts'
import { createSwitches } from './switches.ts'

/** What a test may do to the host besides being its client. Each verb is also `POST /<verb>` at the control's address. */
export type Control = ReturnType<typeof createControl>

export function createControl(host: Host) {
  const find = findersOf(host)
  return {
    ...createPeople(host, find),
    ...createRepositories(host, find),
    ...createApps(host, find),
    ...createSwitches(host),
  }
}

type Find = ReturnType<typeof findersOf>

function findersOf(host: Host) {
  const found = <T>(one: T | undefined, what: string): T => {
    if (one === undefined) throw new Error(`the lab's git host has no ${what}`)
    return one
  }
  return {
    account: (login: string): Account => found(findAccount(host, login), `account ${login}`),
    repository: (full: string): Repository => {
      const [owner = '', name = ''] = full.split('/')
      return found(findRepository(host, owner, name), `repository ${full}`)
    },
    app: (slug: string): App => found(appBySlug(host, slug), `app ${slug}`),
    installation: (id: number): Installation => found(host.installations.get(id), `installation ${id}`),
  }
}

type Organization = {
  login: string
  members?: Record<string, 'admin' | 'member'>
} & Partial<Pick<Account, 'sso' | 'ipAllowList' | 'oauthAppsAllowed' | 'enterprise'>>

function createPeople(host: Host, find: Find) {
  return {
    user: ({ login }: { login: string }) => ({ id: (findAccount(host, login) ?? addAccount(host, login)).id }),
    /** Makes it, or changes what is named; members are added. */
    org: ({ login, members = {}, ...settings }: Organization) => {
      const made = findAccount(host, login) ?? addAccount(host, login, 'Organization')
      Object.assign(made, settings)
      for (const [member, role] of Object.entries(members)) made.members.set(member, role)
      return { id: made.id }
    },
    leave: ({ login, member }: { login: string; member: string }) => void find.account(login).members.delete(member),
    /** A personal access token. */
    token: ({
      login,
      scopes = ['repo', 'read:org', 'gist'],
      sso = [],
    }: {
      login: string
      scopes?: string[]
      sso?: string[]
    }) => {
      const ssoAuthorized = new Set(sso)
      return { token: addToken(host, { kind: 'pat', user: find.account(login), scopes, ssoAuthorized }).value }
    },
    authorizeSso: ({ token, org }: { token: string; org: string }) =>
      void host.tokens.get(token)?.ssoAuthorized.add(org),
    revoke: ({ token }: { token: string }) => ({ revoked: host.tokens.delete(token) }),
    expire: ({ token }: { token: string }) => {
      const found = host.tokens.get(token)
      if (found) found.expiresAt = Date.now() - 1
    },
  }
}

function createRepositories(host: Host, find: Find) {
  return {
    repo: async ({ full, ...wanted }: { full: string } & NewRepository) => {
      const [owner = '', name = ''] = full.split('/')
      return { id: (await addRepository(host, find.account(owner), name, wanted)).id }
    },
    /** Many that are only listed. */
    repos: async ({ owner, count, prefix = 'repo' }: { owner: string; count: number; prefix?: string }) => {
      for (let at = 0; at < count; at += 1) {
        const name = `${prefix}-${String(at).padStart(5, '0')}`
        await addRepository(host, find.account(owner), name, { private: at % 2 === 0, stored: false })
      }
      return { count }
    },
    removeRepo: ({ full }: { full: string }) =>
      removeRepository(host, find.repository(full), find.repository(full).owner),
    transfer: ({ full, to }: { full: string; to: string }) =>
      transferRepository(host, find.repository(full), find.account(to), find.repository(full).owner),
    collaborator: ({ full, login, level }: { full: string; login: string; level: Level | null }) => {
      const { collaborators } = find.repository(full)
      if (level) collaborators.set(login, level)
      else collaborators.delete(login)
    },
    /** A commit on a branch, told as any push is; a few milliseconds. */
    push: ({ full, by, ...file }: { full: string; by?: string } & PushedFile) => {
      const repository = find.repository(full)
      return pushFile(host, repository, by ? find.account(by) : repository.owner, file)
    },
  }
}

type NamedApp = { slug: string }

function createApps(host: Host, find: Find) {
  const chosen = (login: string, names: string[] | null) => names?.map((name) => find.repository(`${login}/${name}`))
  return {
    app: ({ owner, ...wanted }: NewApp & { owner: string }) => {
      const { app, pem } = addApp(host, { ...wanted, owner: find.account(owner) })
      const { id, slug, clientId, clientSecrets, webhookSecret } = app
      return { id, slug, clientId, clientSecret: clientSecrets[0] ?? '', webhookSecret, pem }
    },
    appSettings: ({ slug, ...settings }: NamedApp & Partial<App>) => void Object.assign(find.app(slug), settings),
    rotateKey: ({ slug }: NamedApp) => ({ pem: addKey(find.app(slug)) }),
    dropOldKeys: ({ slug }: NamedApp) => void find.app(slug).publicKeys.splice(0, find.app(slug).publicKeys.length - 1),
    oauthApp: (wanted: { name: string; callbackUrls: string[]; deviceFlow?: boolean; clientId?: string }) => {
      const { name, callbackUrls, deviceFlow = true, clientId = randomText('Ov23li', 14) } = wanted
      const clientSecret = randomText('', 40)
      host.oauthApps.set(clientId, { clientId, clientSecrets: [clientSecret], name, callbackUrls, deviceFlow })
      return { clientId, clientSecret }
    },
    /** On all repositories of the account, or on the named ones. */
    install: ({ slug, login, by = login, repos }: NamedApp & { login: string; by?: string; repos?: string[] }) => {
      const only = chosen(login, repos ?? null) ?? null
      return { id: install(host, find.app(slug), find.account(login), find.account(by), only).id }
    },
    uninstall: ({ id }: { id: number }) => uninstall(host, find.installation(id), find.installation(id).account),
    suspend: ({ id, on = true }: { id: number; on?: boolean }) =>
      suspend(host, find.installation(id), find.installation(id).account, on),
    select: ({ id, repos }: { id: number; repos: string[] | null }) => {
      const one = find.installation(id)
      selectRepositories(host, one, one.account, chosen(one.account.login, repos) ?? null)
    },
    acceptPermissions: ({ id }: { id: number }) =>
      acceptPermissions(host, find.installation(id), find.installation(id).account),
    revokeAuthorization: ({ slug, login }: NamedApp & { login: string }) => {
      const [app, person] = [find.app(slug), find.account(login)]
      for (const one of [...host.tokens.values()])
        if (one.kind === 'user' && one.app === app && one.user === person) host.tokens.delete(one.value)
      host.grants.agreed.delete(`${app.clientId} ${login}`)
      tellRevoked(host, app, person)
    },
  }
}
