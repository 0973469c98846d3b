import { DriverFailure } from '../../errors.ts'
import type { FailedDelivery, PushSession } from './push-session.ts'

/** GitHub, or an Enterprise server of one's own, asked as one of three sources: an installation, an account, `gh`. */
export interface GitHost {
  /** Everything that a source can be asked for. */
  as(source: HostSource): HostSession
  /** As the app itself, with its private key. */
  asApp(app: AppKey): AppSession
  /** Whether the host signed these bytes with this secret. */
  isSigned(secret: string, body: Buffer, signature: string | undefined): Promise<boolean>
  /** As the app or OAuth app that people sign in to. */
  oauth: OAuth
  /** The host's own program on this machine. */
  cli: Cli
}

export type HostSource = {
  /** Limits and turns are counted for each one. */
  key: string
  token(): Promise<string>
  /** Work that nobody waits for leaves a fifth of the host's limit to people. */
  background?: boolean
  signal: AbortSignal
}

export type AppKey = { appId: number; privateKey: string; signal: AbortSignal }

type Person = { id: number; login: string; avatarUrl: string | null; scopes: string[] }

export type HostRepository = {
  id: number
  owner: string
  ownerType: 'User' | 'Organization'
  ownerAvatarUrl: string | null
  name: string
  private: boolean
  defaultBranch: string
  description: string | null
  language: string | null
  pushedAt: Date
  permissions: Record<string, boolean>
}

export type HostBranch = { name: string; commitSha: string; protected: boolean }
export type HostTreeEntry = { path: string; mode: string; type: string; sha: string; size: number | null }
export type HostHook = {
  id: number
  url: string
  active: boolean
  events: string[]
  lastResponse: { code: number | null; status: string | null } | null
}
export type HostInstallation = {
  id: number
  account: { id: number; login: string; type: string; avatarUrl: string | null }
  selection: 'all' | 'selected'
  permissions: Record<string, string>
  suspended: boolean
}

/** What the host gives out a hundred at a time; `page` counts from 1. */
export type HostPage<T> = { data: T[]; more: boolean }
export type Named = { owner: string; name: string }

export interface HostSession extends PushSession {
  person(): Promise<Person>
  /** Of the installation whose token it is, or of the person. */
  repositories(of: 'installation' | 'person', page: number): Promise<HostPage<HostRepository>>
  repository(of: Named): Promise<HostRepository>
  branches(of: Named, page: number, size: number): Promise<HostPage<HostBranch>>
  /** The commit that a branch is at. */
  head(of: Named, branch: string): Promise<string>
  /** Of a commit or a tree. */
  tree(of: Named, sha: string, recursive: boolean): Promise<{ entries: HostTreeEntry[]; truncated: boolean }>
  blob(of: Named, sha: string): Promise<Buffer>
  create(owner: { organization: string | null }, name: string, isPrivate: boolean): Promise<HostRepository>
  remove(of: Named): Promise<void>
  hooks(of: Named): Promise<HostHook[]>
  addHook(of: Named, hook: NewHook): Promise<number>
  setHook(of: Named, id: number, hook: NewHook): Promise<void>
  removeHook(of: Named, id: number): Promise<void>
  /** Installations of an app that a person can see something of, and what they may do there. */
  installations(page: number): Promise<HostPage<HostInstallation>>
  installationRepositories(id: number, page: number): Promise<HostPage<HostRepository>>
}

export type NewHook = { url: string; secret: string; events: string[] }

export interface AppSession {
  /** Which app the key is of. */
  self(): Promise<{ id: number }>
  /** What the host signs deliveries of the app with from now on. */
  setHookSecret(secret: string): Promise<void>
  installation(id: number): Promise<HostInstallation>
  /** Of its hook, newest first. */
  failedDeliveries(): Promise<FailedDelivery[]>
  /** A token of an installation, narrowed where that is said. */
  mint(id: number, limits: TokenLimits): Promise<{ token: string; expiresAt: Date }>
}
export type TokenLimits = { repositoryIds?: number[]; permissions?: Record<string, 'read' | 'write'> }

export type Client = { clientId: string; clientSecret: string | null }
export type Granted = { token: string; refreshToken: string | null; expiresAt: Date | null; scopes: string[] }
type DeviceCode = {
  deviceCode: string
  userCode: string
  verificationUri: string
  expiresIn: number
  interval: number
}
type DeviceAnswer =
  | { state: 'granted'; granted: Granted }
  | { state: 'pending'; interval: number | null }
  | { state: 'denied' | 'expired' }

export interface OAuth {
  exchange(client: Client, code: string, redirectUri: string, verifier: string | null): Promise<Granted>
  /** Null: the refresh token is not good any more. */
  refresh(client: Client, refreshToken: string): Promise<Granted | null>
  /** Null: the app does not allow it. */
  deviceCode(clientId: string, scopes: string): Promise<DeviceCode | null>
  pollDevice(clientId: string, deviceCode: string): Promise<DeviceAnswer>
  revoke(client: Client, token: string): Promise<void>
  convertManifest(code: string): Promise<MadeApp>
}
type MadeApp = {
  appId: number
  slug: string
  owner: string
  clientId: string
  clientSecret: string
  privateKey: string
  webhookSecret: string | null
}

export interface Cli {
  /** Null: there is no such program. */
  version(): Promise<string | null>
  /** Null: nobody is signed in. */
  token(): Promise<string | null>
}

export type HostFailureCode =
  | 'not_found'
  | 'unauthorized'
  | 'suspended'
  | 'sso'
  | 'address_list'
  | 'oauth_restricted'
  | 'forbidden'
  | 'invalid'
  | 'busy'
  | 'unreachable'
  /** Not the host: the hosted cloud, whose tokens it would be asked with. */
  | 'cloud_unreachable'

/** What the host could not or would not do. Messages never hold a credential. */
export type GitHostFailure = DriverFailure<'githost', HostFailureCode, Facts>

/** When it makes sense to ask again. */
type Facts = { retryAt: Date | null }
type More = Partial<Facts> & { hint?: string; cause?: unknown }

export const gitHostFailure = (code: HostFailureCode, message: string, more: More = {}): GitHostFailure =>
  new DriverFailure('githost', code, message, {
    hint: more.hint ?? 'Try again in a moment.',
    facts: { retryAt: more.retryAt ?? null },
    cause: more.cause,
  })
