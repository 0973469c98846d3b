import type { Delivery, Traffic } from './events/delivery.ts'
import type { Dice, Faults } from './faults.ts'

/** Everything the host knows besides what lies in the bare repositories. It is lost when the process ends. */
export type Host = {
  /** `github.com`, or the name of an Enterprise server. */
  name: string
  /** Where bodies say that the API is. */
  api: string
  repositoriesDir: string
  /** By login, in small letters. */
  accounts: Map<string, Account>
  /** By owner/name, in small letters. */
  repositories: Map<string, Repository>
  /** Former owner/name → id: the host redirects until the name is taken again. */
  formerNames: Map<string, number>
  apps: Map<number, App>
  oauthApps: Map<string, OAuthApp>
  installations: Map<number, Installation>
  tokens: Map<string, Token>
  grants: Grants
  settings: Settings
  faults: Faults
  dice: Dice
  usage: Usage
  traffic: Traffic
  /** What was asked, for tests that look on; secrets are left out. */
  requests: { at: number; method: string; path: string; status: number; actor: string }[]
  closed: boolean
  nextId(): number
}

export type Settings = {
  /** Off: pages ask by a form. On: whoever is signed in agrees at once. */
  autoApprove: boolean
  /** Of installation tokens. */
  tokenLifeMs: number
  userTokenLifeMs: number
  deviceIntervalSeconds: number
  deviceLifeMs: number
  codeLifeMs: number
  /** Requests an hour; null: as many as one likes. */
  primaryLimit: number | null
  secondaryLimits: boolean
}

export type Level = 'read' | 'write' | 'admin'
export type Role = 'none' | Level
export type Permissions = Record<string, Level>
export type Json = Record<string, unknown>

export type Account = {
  id: number
  login: string
  type: 'User' | 'Organization'
  createdAt: string
  /** Of an organization, by login. */
  members: Map<string, 'admin' | 'member'>
  /** SAML is enforced: a person's token must be authorized for this organization. */
  sso: boolean
  /** Only these addresses may ask; null: all. */
  ipAllowList: string[] | null
  /** Client ids of OAuth apps that may see anything here; null: all. Apps that are installed are not meant. */
  oauthAppsAllowed: string[] | null
  /** Has a higher primary limit. */
  enterprise: boolean
}

export type Hook = {
  id: number
  config: { url: string; content_type: 'json' | 'form'; insecure_ssl: '0' | '1'; secret?: string }
  events: string[]
  active: boolean
  createdAt: string
  updatedAt: string
  lastResponse: { code: number | null; status: string; message: string | null }
  deliveries: Delivery[]
}

export type Repository = {
  id: number
  owner: Account
  name: string
  private: boolean
  description: string | null
  defaultBranch: string
  createdAt: string
  updatedAt: string
  pushedAt: string | null
  collaborators: Map<string, Level>
  hooks: Map<number, Hook>
  /** Newest first, as the API shows them. */
  statuses: { sha: string; shown: Json }[]
  deployments: { shown: Json; statuses: Json[] }[]
  checkRuns: Json[]
  dir: string
}

export type App = {
  id: number
  slug: string
  name: string
  owner: Account
  clientId: string
  clientSecrets: string[]
  /** Several while a private key is being rotated. */
  publicKeys: string[]
  webhookSecret: string | null
  hookUrl: string | null
  hookActive: boolean
  permissions: Permissions
  events: string[]
  callbackUrls: string[]
  setupUrl: string | null
  public: boolean
  requestOauthOnInstall: boolean
  deviceFlow: boolean
  expireUserTokens: boolean
  createdAt: string
  deliveries: Delivery[]
}

type OAuthApp = {
  clientId: string
  clientSecrets: string[]
  name: string
  callbackUrls: string[]
  deviceFlow: boolean
}

export type Installation = {
  id: number
  app: App
  account: Account
  selection: 'all' | 'selected'
  repositoryIds: Set<number>
  permissions: Permissions
  events: string[]
  suspendedAt: string | null
  suspendedBy: Account | null
  createdAt: string
  updatedAt: string
}

export type Token = {
  value: string
  kind: 'pat' | 'oauth' | 'user' | 'installation'
  user: Account | null
  scopes: string[]
  clientId: string | null
  app: App | null
  installation: Installation | null
  /** Null: all that the installation has. */
  repositoryIds: Set<number> | null
  permissions: Permissions
  expiresAt: number | null
  refreshToken: string | null
  /** Organizations with SAML that this token was authorized for. */
  ssoAuthorized: Set<string>
}

export type Usage = {
  /** By payer and resource. */
  hours: Map<string, { used: number; reset: number }>
  /** By payer and path, and by payer for all that is written. */
  minutes: Map<string, { minute: number; spent: number }>
  underWay: number
}

/** What people have agreed to, or are being asked. */
type Grants = {
  codes: Map<string, Code>
  devices: Map<string, Device>
  /** Client id and login: the page does not ask twice. */
  agreed: Set<string>
  manifests: Map<string, { app: App; pem: string; at: number }>
}

export type Code = {
  clientId: string
  user: Account
  redirectUri: string
  scopes: string[]
  challenge: string | null
  at: number
}

type Device = {
  clientId: string
  scopes: string[]
  userCode: string
  at: number
  intervalSeconds: number
  polledAt: number
  user: Account | null
  denied: boolean
  lifeMs: number
}
