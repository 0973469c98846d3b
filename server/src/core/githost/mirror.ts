import type { GithostRepository } from '@slipway/contract/githost-shape'
import type { Platform } from '../platform.ts'
import * as mirror from './mirror-store.ts'
import { failureIn, refusalOf } from './refuse.ts'
import { type GithostParts, open, type Source } from './sources.ts'
import { markBroken } from './store.ts'

/** Listings younger than this are not asked for again. */
const FRESH_MS = 60_000
/** How long somebody waits for a listing that they can do without. */
const PATIENCE_MS = 3000
const FIRST_MS = 20_000
const MOST_PAGES = 500
const RANK = { app: 1, oauth: 2, cli: 3 } as const

export const rankOf = ({ kind }: Source) => RANK[kind]

/** Lists what is due; whoever has a listing already is answered from that when the host is slow, busy or down. */
export async function freshen(parts: GithostParts, orgId: string, sources: Source[], signal: AbortSignal) {
  const known = new Map((await mirror.states(parts.db, orgId)).map((state) => [state.sourceKey, state.listedAt]))
  const due = sources.filter(({ key }) => Date.now() - (known.get(key)?.getTime() ?? 0) > FRESH_MS)
  await Promise.all(
    due.map(async (source) => {
      // It goes on when the caller has left: the next one finds it done.
      const listing = refresh(parts, source, AbortSignal.timeout(120_000))
      if (!known.get(source.key))
        return Promise.race([listing.then(() => listed(parts, source, signal)), ended(signal)])
      listing.catch((error) => parts.log.warn({ reason: (error as Error).message }, 'repositories were not listed'))
      return Promise.race([listing.catch(() => {}), ended(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]))])
    }),
  )
}

/** Somebody else may be listing it for the first time: then there is nothing to show before they are done. */
async function listed({ db }: GithostParts, { orgId, key }: Source, signal: AbortSignal): Promise<void> {
  const until = Date.now() + FIRST_MS
  for (;;) {
    const state = (await mirror.states(db, orgId)).find(({ sourceKey }) => sourceKey === key)
    if (!state?.begunAt || state.listedAt !== null || signal.aborted || Date.now() > until) return
    await new Promise((next) => setTimeout(next, 100))
  }
}

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

async function refresh(parts: GithostParts, source: Source, signal: AbortSignal): Promise<void> {
  const { orgId, key } = source
  const begun = await mirror.begin(parts.db, orgId, key, FRESH_MS)
  if (begun === null) return
  try {
    const host = open(parts, source, { signal })
    const allowed = source.kind === 'app' && source.link.repoIds ? new Set(source.link.repoIds.map(Number)) : null
    for (let page = 1; page <= MOST_PAGES; page++) {
      const { data, more } = await host.repositories(source.kind === 'app' ? 'installation' : 'person', page)
      const mine = data.filter(({ id }) => allowed === null || allowed.has(id))
      await mirror.keep(parts.db, { orgId, key, rank: rankOf(source) }, mine)
      if (!more) break
    }
    await mirror.end(parts.db, orgId, key, begun)
    await linkProjects(parts, orgId)
  } catch (error) {
    await mirror.end(parts.db, orgId, key, null)
    const failure = failureIn(error)
    if (failure?.code === 'unauthorized') await markBroken(parts.db, source, failure.message)
    throw failure ? refusalOf(failure) : error
  }
}

/** A project is linked by the host's own number: a name may be given to another repository. */
export async function linkProjects({ db, config }: Pick<Platform, 'db' | 'config'>, orgId: string): Promise<void> {
  const { url } = config.githost
  for (const { id, repository } of await mirror.unlinkedProjects(db, orgId, url)) {
    const named = nameIn(url, repository)
    if (named) await mirror.linkProject(db, orgId, id, mirror.keyOf(named.owner, named.name))
  }
}

/** `https://host/owner/name.git` of the connected host; null for every other address. */
export function nameIn(url: string, repository: string | null): { owner: string; name: string } | null {
  const parsed = repository === null ? null : URL.parse(repository)
  if (parsed === null || parsed.origin !== url || parsed.search !== '' || parsed.hash !== '') return null
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(parsed.pathname) ?? []
  return owner === undefined || name === undefined ? null : { owner, name }
}

/** Addresses are made from the configured host, not taken from what an answer says. */
export function shown({ config }: Pick<Platform, 'config'>, row: mirror.RepositoryRow): GithostRepository {
  const fullName = `${row.owner}/${row.name}`
  const htmlUrl = `${config.githost.url}/${fullName}`
  return {
    id: Number(row.repoId),
    owner: row.owner,
    name: row.name,
    fullName,
    private: row.private,
    defaultBranch: row.defaultBranch,
    description: row.description,
    pushedAt: row.pushedAt.toISOString(),
    language: row.language,
    cloneUrl: `${htmlUrl}.git`,
    htmlUrl,
    permissions: row.permissions,
    source: row.rank === RANK.app ? 'app' : row.rank === RANK.oauth ? 'oauth' : 'cli',
  }
}
