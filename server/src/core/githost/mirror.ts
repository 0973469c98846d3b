import type { GithostListing, GithostRepository } from '@slipway/contract/githost-shape'
import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import * as mirror from './mirror-store.ts'
import { failureIn, refusalOf } from './refuse.ts'
import { nameIn } from './repository-address.ts'
import { type GithostParts, open, type Source } from './sources.ts'
import { markBroken } from './store.ts'

/** Listings younger than this are not asked for again. */
const FRESH_MS = 60_000
/** Older ones are waited for, for a while; younger ones are answered with while they are asked for again. */
const STALE_MS = 5 * 60_000
const PATIENCE_MS = 3000
const FIRST_MS = 20_000
/** Of a listing that is made for the first time, what there is after that is shown. */
const FIRST_LOOK_MS = 400
const LOOK_MS = 50
const MOST_PAGES = 500
const RANK = { app: 1, oauth: 2, cli: 3 } as const

export const rankOf = ({ kind }: Source) => RANK[kind]

/** Lists what is due; whoever has a listing already is answered from that when the host is slow, busy or down. */
export async function freshen(
  parts: GithostParts,
  orgId: string,
  sources: Source[],
  signal: AbortSignal,
): Promise<GithostListing> {
  const known = await listedAt(parts, orgId)
  const due = sources.filter(({ key }) => isOlder(FRESH_MS, known.get(key)))
  await Promise.all(
    due.map(async (source) => {
      // It goes on when the caller has left: the next one finds it done.
      const listing = refresh(parts, source, AbortSignal.timeout(120_000))
      listing.catch((error) => parts.log.warn({ reason: (error as Error).message }, 'repositories were not listed'))
      const at = known.get(source.key)
      if (!at) return firstOf(parts, source, listing, signal).catch(unlessAway(sources))
      if (!isOlder(STALE_MS, at)) return
      return Promise.race([listing.catch(() => {}), ended(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]))])
    }),
  )
  return due.length === 0 ? listingOf(sources, known) : listingOf(sources, await listedAt(parts, orgId))
}

/** A cloud that is away hides what comes through it, and nothing else. */
const unlessAway = (sources: Source[]) => (error: unknown) => {
  if (sources.length === 1 || !(error instanceof Refusal) || error.code !== 'cloud_unreachable') throw error
}

const listedAt = async ({ db }: GithostParts, orgId: string) =>
  new Map((await mirror.states(db, orgId)).map((state) => [state.sourceKey, state.listedAt]))

const isOlder = (ms: number, at: Date | null | undefined) => Date.now() - (at?.getTime() ?? 0) > ms

function listingOf(sources: Source[], known: Map<string, Date | null>): GithostListing {
  const times = sources.map(({ key }) => known.get(key) ?? null)
  const complete = times.filter((time) => time !== null)
  const oldest = complete.length === 0 ? null : new Date(Math.min(...complete.map((time) => time.getTime())))
  const state = complete.length < times.length ? 'filling' : isOlder(STALE_MS, oldest) ? 'stale' : 'current'
  return { state, listedAt: oldest?.toISOString() ?? null }
}

/** All of it where that is quick, else its first pages. Somebody else may be listing it: then it is theirs that is shown. */
async function firstOf(
  { db }: GithostParts,
  { orgId, key }: Source,
  listing: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [early, until] = [Date.now() + FIRST_LOOK_MS, Date.now() + FIRST_MS]
  let isOver = false
  const over = listing.then(() => {
    isOver = true
  })
  // Whoever has left, or has seen enough, does not hear of its end.
  over.catch(() => {})
  while (!signal.aborted && Date.now() < until) {
    await Promise.race([over, new Promise((next) => setTimeout(next, LOOK_MS)), ended(signal)])
    const state = (await mirror.states(db, orgId)).find(({ sourceKey }) => sourceKey === key)
    if (state?.listedAt || (isOver && !state?.begunAt)) return
    if (Date.now() > early && (await mirror.hasAny(db, orgId, key))) return
  }
}

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** All pages of one source, unless another process is at it. */
export async function refresh(parts: GithostParts, source: Source, signal: AbortSignal): Promise<void> {
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
export async function linkProjects({ db, config }: Pick<BaseParts, 'db' | 'config'>, orgId: string): Promise<void> {
  const { url } = config.githost
  for (const { id, repository } of await mirror.unlinkedProjects(db, orgId, url)) {
    const named = nameIn(url, repository)
    if (named) await mirror.linkProject(db, orgId, id, mirror.keyOf(named.owner, named.name))
  }
}

/** Addresses are made from the configured host, not taken from what an answer says. */
export function shown({ config }: Pick<BaseParts, 'config'>, row: mirror.RepositoryRow): GithostRepository {
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
