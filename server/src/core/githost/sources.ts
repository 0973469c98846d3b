import { transaction } from '../../db/database.ts'
import type { GitHost, HostSession, TokenLimits } from '../../drivers/githost/githost.ts'
import { isFailure } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import { askToken, type LinkedCloud } from './broker/ask-cloud.ts'
import type { Facts } from './choose-source.ts'
import { failed, failureIn } from './refuse.ts'
import { accountPlace, appPlace } from './secrets.ts'
import * as store from './store.ts'
import type { InstallationTokens } from './tokens.ts'

export type GithostParts = Pick<BaseParts, 'db' | 'config' | 'keys' | 'githost' | 'changes' | 'log'> & {
  githostTokens: InstallationTokens
  linkedCloud: LinkedCloud
}

type Way = { key: string; orgId: string; login: string }
/** One way to the host that an organization has. */
export type Source =
  | (Way & { kind: 'app'; link: store.LinkRow })
  | (Way & { kind: 'oauth'; account: store.AccountRow })
  | (Way & { kind: 'cli'; account: store.AccountRow })
export type AppSource = Extract<Source, { link: unknown }>

const REFRESH_MS = 5 * 60_000

/** Those that may be used now, in the order in which they are asked. */
export async function sourcesOf(parts: GithostParts, orgId: string): Promise<Source[]> {
  const { host } = parts.config.githost
  const [links, accounts] = [await store.links(parts.db, orgId, host), await store.accounts(parts.db, orgId)]
  const ownCli = accounts.some(({ kind }) => kind === 'cli') && (await mayUseCli(parts, orgId))
  return [
    ...links
      .filter(({ suspendedAt, goneAt, brokenAt }) => suspendedAt === null && goneAt === null && brokenAt === null)
      .map((link) => ({ kind: 'app' as const, key: link.id, orgId, login: link.accountLogin, link })),
    ...accounts
      .filter(({ kind, brokenAt }) => (kind === 'oauth' ? brokenAt === null : ownCli))
      .map((account) => ({ kind: account.kind, key: account.id, orgId, login: account.login, account })),
  ]
}

/** The login of this machine is the operator's: other organizations would read the operator's repositories with it. */
export async function mayUseCli({ db, config }: Pick<BaseParts, 'db' | 'config'>, orgId: string): Promise<boolean> {
  if (config.mode === 'cloud') return false
  return (config.githost.cli.orgId ?? (await store.firstOrganization(db))) === orgId
}

export const covers = (owner: string) => (source: Source) =>
  source.kind !== 'app' || source.login.toLowerCase() === owner.toLowerCase()

export function factsOf(sources: Source[]): Facts {
  const app = sources.find((one): one is AppSource => one.kind === 'app')
  return {
    app: app ? { administration: app.link.permissions.administration === 'write' } : null,
    oauth: sources.some(({ kind }) => kind === 'oauth'),
    cli: sources.some(({ kind }) => kind === 'cli'),
  }
}

type Asking = { signal: AbortSignal; background?: boolean }

export function open(parts: GithostParts, source: Source, asking: Asking): HostSession {
  return parts.githost.as({ key: source.key, token: () => tokenOf(parts, source, asking.signal), ...asking })
}

/** For git itself, and for requests. */
export async function tokenOf(parts: GithostParts, source: Source, signal: AbortSignal): Promise<string> {
  if (source.kind === 'oauth') return accountToken(parts, source.account)
  if (source.kind === 'cli') {
    const token = await parts.githost.cli.token()
    if (token === null) throw failed('unauthorized', 'Nobody is signed in to `gh` on this machine any more.')
    return token
  }
  const ids = source.link.repoIds?.map(Number)
  const limits = ids === undefined ? {} : { repositoryIds: ids }
  return parts.githostTokens.take(source.key, () => mint(parts, source, limits, signal))
}

/** Always through the link: what was not proved is not in the token either. */
export async function mint(parts: GithostParts, { link }: AppSource, limits: TokenLimits, signal: AbortSignal) {
  const proved = link.repoIds && new Set(link.repoIds.map(Number))
  if (proved && !limits.repositoryIds?.every((id) => proved.has(id))) throw failed('not_found', 'It was not proved.')
  if (link.via === 'cloud') return mintByCloud(parts, link, limits, signal)
  try {
    return await asApp(parts, link, signal).mint(Number(link.installationId), limits)
  } catch (error) {
    if (isFailure(error, 'githost', 'not_found')) await store.markInstallation(parts.db, link, 'goneAt')
    if (isFailure(error, 'githost', 'suspended')) await store.markInstallation(parts.db, link, 'suspendedAt')
    throw error
  }
}

/** The key is the cloud's: it makes tokens as far as the organization there has proved. */
async function mintByCloud(
  { db, linkedCloud }: GithostParts,
  link: store.LinkRow,
  limits: TokenLimits,
  signal: AbortSignal,
) {
  try {
    const asked = { installationId: Number(link.installationId), ...limits }
    return await askToken({ cloud: linkedCloud, orgId: link.orgId, signal }, asked)
  } catch (error) {
    const code = failureIn(error)?.code
    if (code === 'not_found' || code === 'forbidden') await store.recheckSoon(db, link)
    throw error
  }
}

type KeyOf = Pick<store.LinkRow, 'appId' | 'privateKey'> & { app: string }

/** The key of an app that was registered by hand is in the configuration, the others are sealed in their rows. */
export function asApp(
  { config, keys, githost }: Pick<BaseParts, 'config' | 'keys'> & { githost: GitHost },
  app: KeyOf,
  signal: AbortSignal,
) {
  const sealed = app.privateKey
  if (app.appId === null) throw failed('forbidden', 'The app is that of the hosted cloud.')
  const privateKey =
    sealed === null ? config.githost.app?.privateKey : keys.open(sealed, appPlace(app.app, 'private_key'))
  // Not the host's word: another process of the instance may have it, and the link is as good as before.
  if (privateKey === undefined) throw failed('forbidden', 'The app of this instance is not configured here.')
  return githost.asApp({ appId: Number(app.appId), privateKey, signal })
}

/** A refresh token works once: whoever uses it holds the row, and stores the new pair before anybody uses it. */
async function accountToken(parts: GithostParts, seen: store.AccountRow): Promise<string> {
  const plain = ({ id, token }: store.AccountRow) => parts.keys.open(token ?? '', accountPlace(id, 'token'))
  if (isFresh(seen)) return plain(seen)
  const renewed = await transaction(parts.db, async (tx) => {
    const row = await store.lockAccount(tx, seen)
    if (!row) throw failed('unauthorized', 'The account was disconnected.')
    if (isFresh(row)) return plain(row)
    const client = parts.config.githost.oauth
    const old = row.refreshToken && parts.keys.open(row.refreshToken, accountPlace(row.id, 'refresh_token'))
    const granted = client && old ? await parts.githost.oauth.refresh(client, old) : null
    if (granted === null) return null
    const { token, refreshToken, expiresAt } = granted
    await store.saveTokens(tx, row, {
      token: parts.keys.seal(token, accountPlace(row.id, 'token')),
      refreshToken: refreshToken && parts.keys.seal(refreshToken, accountPlace(row.id, 'refresh_token')),
      expiresAt,
    })
    return token
  })
  if (renewed === null) throw failed('unauthorized', 'The account’s sign-in has ended.')
  return renewed
}

const isFresh = ({ expiresAt }: store.AccountRow) => expiresAt === null || expiresAt.getTime() > Date.now() + REFRESH_MS
