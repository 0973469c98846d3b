import { randomBytes } from 'node:crypto'
import { createDice, noFaults } from './faults.ts'
import type { Account, Host, Installation, Repository, Role, Token } from './model.ts'

export function createHost(name: string, repositoriesDir: string): Host {
  let id = 1000
  return {
    name,
    api: name === 'github.com' ? 'https://api.github.com' : `https://${name}/api/v3`,
    repositoriesDir,
    accounts: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    apps: new Map(),
    oauthApps: new Map(),
    installations: new Map(),
    tokens: new Map(),
    grants: { codes: new Map(), devices: new Map(), agreed: new Set(), manifests: new Map() },
    settings: {
      autoApprove: false,
      tokenLifeMs: 3_600_000,
      userTokenLifeMs: 28_800_000,
      deviceIntervalSeconds: 5,
      deviceLifeMs: 900_000,
      codeLifeMs: 600_000,
      primaryLimit: 5000,
      secondaryLimits: true,
    },
    faults: noFaults(),
    dice: createDice(),
    usage: { hours: new Map(), minutes: new Map(), underWay: 0 },
    traffic: { underWay: 0, sent: 0, lost: 0, failed: 0, duplicated: 0, reordered: 0, badlySigned: 0 },
    requests: [],
    closed: false,
    nextId: () => ++id,
  }
}

export const now = () => seconds(Date.now())
/** Times as the API writes them, without milliseconds. */
export const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
export const nodeId = (kind: string, id: number | string) => Buffer.from(`${kind}:${id}`).toString('base64')

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
export const randomText = (prefix: string, length = 36) =>
  prefix + Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('')

export function addAccount(host: Host, login: string, type: Account['type'] = 'User'): Account {
  const limits = { sso: false, ipAllowList: null, oauthAppsAllowed: null, enterprise: false }
  const account: Account = { id: host.nextId(), login, type, createdAt: now(), members: new Map(), ...limits }
  host.accounts.set(login.toLowerCase(), account)
  return account
}

const PREFIX = { pat: 'ghp_', oauth: 'gho_', user: 'ghu_', installation: 'ghs_' }

export function addToken(host: Host, wanted: Partial<Token> & { kind: Token['kind'] }): Token {
  const token: Token = {
    value: randomText(PREFIX[wanted.kind]),
    user: null,
    scopes: [],
    clientId: null,
    app: null,
    installation: null,
    repositoryIds: null,
    permissions: {},
    expiresAt: null,
    refreshToken: null,
    ssoAuthorized: new Set(),
    ...wanted,
  }
  host.tokens.set(token.value, token)
  return token
}

export const findAccount = (host: Host, login: string) => host.accounts.get(login.toLowerCase())
export const repositoryKey = (owner: string, name: string) => `${owner}/${name}`.toLowerCase()
export const findRepository = (host: Host, owner: string, name: string) =>
  host.repositories.get(repositoryKey(owner, name))
export const repositoryById = (host: Host, id: number) => [...host.repositories.values()].find((one) => one.id === id)
export const fullName = ({ owner, name }: Repository) => `${owner.login}/${name}`

/** Its former name leads to it, too, unless someone took that name. */
export function followRename(host: Host, owner: string, name: string): Repository | undefined {
  const id = host.formerNames.get(repositoryKey(owner, name))
  return findRepository(host, owner, name) ?? (id === undefined ? undefined : repositoryById(host, id))
}

export const repositoriesOf = (host: Host, account: Account) =>
  [...host.repositories.values()].filter(({ owner }) => owner.id === account.id)
export const covers = ({ account, selection, repositoryIds }: Installation, { id, owner }: Repository) =>
  owner.id === account.id && (selection === 'all' || repositoryIds.has(id))
export const coveredBy = (host: Host, installation: Installation) =>
  [...host.repositories.values()].filter((one) => covers(installation, one))
export const installationOn = (host: Host, appId: number, account: Account) =>
  [...host.installations.values()].find((one) => one.app.id === appId && one.account.id === account.id)
export const appByClientId = (host: Host, id: string) => [...host.apps.values()].find(({ clientId }) => clientId === id)
export const appBySlug = (host: Host, slug: string) => [...host.apps.values()].find((app) => app.slug === slug)

/** What a person may do with a repository, whatever the token allows. */
export function roleOf(user: Account, repository: Repository): Role {
  const { owner, collaborators } = repository
  if (owner.id === user.id || owner.members.get(user.login) === 'admin') return 'admin'
  const invited = collaborators.get(user.login)
  if (invited) return invited
  if (owner.members.has(user.login)) return 'write'
  return repository.private ? 'none' : 'read'
}
