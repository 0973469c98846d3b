import type { GithostAccount, GithostAttempt, GithostProblem, GithostState } from '@slipway/contract/githost-shape'
import type { Caller } from '../access/caller.ts'
import { listRepositories } from './browse.ts'
import * as attempts from './connect/attempt-store.ts'
import { hookAddress } from './connect/manifest.ts'
import * as mirror from './mirror-store.ts'
import { silentHeads } from './push/head-store.ts'
import { failureIn } from './refuse.ts'
import { type GithostParts, mayUseCli, sourcesOf } from './sources.ts'
import * as store from './store.ts'

type Rows = { links: store.LinkRow[]; accounts: store.AccountRow[] }

async function rowsOf({ db, config }: GithostParts, orgId: string): Promise<Rows> {
  const links = (await store.links(db, orgId, config.githost.host)).filter(({ goneAt }) => goneAt === null)
  return { links, accounts: await store.accounts(db, orgId) }
}

export const stateOf = async (parts: GithostParts, orgId: string) => stateIn(await rowsOf(parts, orgId))

function stateIn({ links, accounts }: Rows): GithostState {
  const kinds = [...(links.length > 0 ? ['app' as const] : []), ...accounts.map(({ kind }) => kind)]
  return kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'disconnected')
}

/** From rows alone: it never waits for the host. */
export async function githostStatus(parts: GithostParts, caller: Caller) {
  const { config, db } = parts
  const rows = await rowsOf(parts, caller.orgId)
  const [app] = await store.apps(db, caller.orgId, config.githost.host)
  const slug = app?.slug ?? config.githost.app?.slug
  const pages = config.githost.url === 'https://github.com' ? 'apps' : 'github-apps'
  return {
    state: stateIn(rows),
    accounts: await accountsOf(parts, caller, rows),
    installUrl: slug === undefined ? null : `${config.githost.url}/${pages}/${slug}/installations/new`,
    cloudUnreachable: (await parts.linkedCloud.find(caller.orgId))?.isAway ?? false,
    mode: config.mode,
    host: config.githost.host,
    problems: [...problemsIn(rows), ...(await silentIn(parts, caller, rows))],
  }
}

export async function githostHome(
  parts: GithostParts,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
  signal: AbortSignal,
) {
  const rows = await rowsOf(parts, caller.orgId)
  const usable = (await sourcesOf(parts, caller.orgId)).length > 0
  const { data, ...page } = usable
    ? await listRepositories(parts, caller, query, { signal })
    : { data: [], nextCursor: null, listing: null }
  return { state: stateIn(rows), accounts: await accountsOf(parts, caller, rows), repos: data, ...page }
}

/** An account shows all organizations it reaches; a role sees those whose repositories it sees. */
async function accountsOf(parts: GithostParts, caller: Caller, rows: Rows): Promise<GithostAccount[]> {
  const sources = new Map(rows.accounts.map(({ id, kind }) => [id, kind]))
  // An app reaches nobody but its own account, which its link names: what it lists matters to a viewer alone.
  const asked = (await sourcesOf(parts, caller.orgId)).filter(({ key }) => caller.role === 'viewer' || sources.has(key))
  const owners = await mirror.owners(parts.db, { ...caller, keys: asked.map(({ key }) => key) })
  const direct: GithostAccount[] = [
    ...rows.links.map((link) => ({
      ...{
        login: link.accountLogin,
        type: typeOf(link.accountType),
        avatarUrl: link.avatarUrl,
        source: 'app' as const,
      },
      installationId: Number(link.installationId),
    })),
    ...rows.accounts.map(({ login, avatarUrl, kind }) => ({
      ...{ login, type: 'user' as const, avatarUrl, installationId: null, source: kind },
    })),
  ]
  const reached = owners.flatMap(({ sourceKey, owner, ownerType, ownerAvatarUrl }): GithostAccount[] => {
    const source = sources.get(sourceKey)
    if (source === undefined) return []
    return [{ login: owner, type: typeOf(ownerType), avatarUrl: ownerAvatarUrl, installationId: null, source }]
  })
  const seen = new Set(owners.map(({ owner }) => owner.toLowerCase()))
  const all = [
    ...new Map([...reached, ...direct].map((one) => [`${one.source} ${one.login.toLowerCase()}`, one])).values(),
  ]
  return caller.role === 'viewer' ? all.filter(({ login }) => seen.has(login.toLowerCase())) : all
}

const typeOf = (type: string): GithostAccount['type'] => (type === 'Organization' ? 'organization' : 'user')

const AGAIN = 'Connect it again.'

function problemsIn({ links, accounts }: Rows): GithostProblem[] {
  const broken = [
    ...links.map(({ accountLogin: login, brokenAt, reason, via }) => ({
      ...{ login, brokenAt, reason, source: 'app' as const },
      hint: via === 'cloud' ? 'Link the organization to the hosted cloud anew, and connect again.' : AGAIN,
    })),
    ...accounts.map(({ login, brokenAt, reason, kind }) => ({ login, brokenAt, reason, source: kind, hint: AGAIN })),
  ].filter(({ brokenAt }) => brokenAt !== null)
  return [
    ...broken.map(({ login, reason, source, hint }) => ({
      ...{ source, code: 'broken' as const, message: `The connection of ${login} does not work: ${reason}` },
      hint,
    })),
    ...links.flatMap(({ accountLogin, suspendedAt, permissions }): GithostProblem[] => {
      const message = `The installation of ${accountLogin} `
      if (suspendedAt !== null)
        return [
          { source: 'app', code: 'suspended', message: `${message}is suspended.`, hint: 'Lift that at the git host.' },
        ]
      if (permissions.contents !== undefined) return []
      const hint = 'Accept the permissions that the app asks for, at the git host.'
      return [{ source: 'app', code: 'permissions_missing', message: `${message}may not read contents.`, hint }]
    }),
  ]
}

/** Pushes that were found by asking although a hook should have told of them. */
async function silentIn({ db, config }: GithostParts, caller: Caller, rows: Rows): Promise<GithostProblem[]> {
  if (hookAddress(config, '') === null) return []
  // No hook of the cloud's app leads here.
  const links = rows.links.filter(({ via }) => via === 'own')
  const keys = [...links, ...rows.accounts].map(({ id }) => id)
  const found = await silentHeads(db, { ...caller, keys })
  return [...Map.groupBy(found, ({ isApp }) => isApp)].map(([isApp, heads]) => {
    const names = heads.slice(0, 3).map(({ owner, name }) => `${owner}/${name}`)
    const more = heads.length > names.length ? ` and ${heads.length - names.length} more` : ''
    return {
      source: isApp ? ('app' as const) : ('oauth' as const),
      code: 'webhook_silent' as const,
      message: `The git host did not tell of pushes to ${names.join(', ')}${more}; they were found by asking, up to a minute later.`,
      hint: 'Look at the recent deliveries of the hook at the git host: it must reach this instance, with the secret that is stored here.',
    }
  })
}

/** The caller's newest attempt, as its row has it. */
export async function pollAttempt({ db }: GithostParts, caller: Caller): Promise<GithostAttempt> {
  const none = { flow: null, userCode: null, verificationUri: null, expiresAt: null, login: null, message: null }
  const row = await attempts.newest(db, caller.orgId, caller.userId)
  if (row === undefined) return { status: 'none', ...none }
  const open = row.status === 'started' || row.status === 'returned' || row.status === 'proved'
  const status = open
    ? row.expiresAt <= new Date()
      ? 'expired'
      : 'pending'
    : row.status === 'bound'
      ? 'connected'
      : row.status
  return {
    status: status as GithostAttempt['status'],
    flow: row.kind === 'device' ? 'device_code' : 'redirect',
    userCode: status === 'pending' ? row.userCode : null,
    verificationUri: status === 'pending' ? row.verificationUri : null,
    expiresAt: row.expiresAt.toISOString(),
    login: row.login,
    message: row.reason,
  }
}

/** Whether the machine's own login could be used, by this organization. */
export async function localStatus(parts: GithostParts, caller: Caller, signal: AbortSignal) {
  const { config, githost } = parts
  const none = { version: null, loggedIn: false, login: null, host: config.githost.host, scopes: [] as string[] }
  const no = (reason: string, more = {}) => ({ available: false, ...none, ...more, reason })
  if (!(await mayUseCli(parts, caller.orgId))) return no('The login of this machine serves another organization.')
  const version = await githost.cli.version()
  if (version === null) return no('There is no program `gh` on this machine.')
  const token = await githost.cli.token()
  if (token === null)
    return { ...no(`Nobody is signed in to ${config.githost.host} with gh.`, { version }), available: true }
  try {
    const source = { key: `cli:${caller.orgId}`, token: async () => token, signal }
    const { login, scopes } = await githost.as(source).person()
    return { available: true, ...none, version, loggedIn: true, login, scopes, reason: null }
  } catch (error) {
    const failure = failureIn(error)
    if (failure === null) throw error
    return { ...no(failure.message, { version }), available: true }
  }
}
