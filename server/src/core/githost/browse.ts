import type { ListRepositories } from '@slipway/contract/githost'
import type { GithostBranch, GithostRepositoryDetail } from '@slipway/contract/githost-shape'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { unknownCursor } from '../page.ts'
import { type Asked, requireRepository, type Seen } from './find.ts'
import { coverageOf } from './hooks.ts'
import { freshen, shown } from './mirror.ts'
import * as mirror from './mirror-store.ts'
import { refusalFor } from './refuse.ts'
import { type GithostParts, sourcesOf } from './sources.ts'
import { read } from './use.ts'

export async function listRepositories(
  parts: GithostParts,
  caller: Caller,
  query: ListRepositories,
  more: { signal: AbortSignal; organization?: true },
) {
  const sources = await sourcesOf(parts, caller.orgId)
  if (sources.length === 0) throw refusalFor({ refuse: 'githost_not_connected' })
  const listing = await freshen(parts, caller.orgId, sources, more.signal)
  const { data, nextCursor } = await mirror.list(parts.db, { ...caller, keys: sources.map(({ key }) => key) }, query)
  const isPerson = more.organization && data[0]?.ownerType === 'User'
  const isWhole = listing.state !== 'filling'
  const isNothing = data.length === 0 && nextCursor === null
  const isUnknown = isWhole && isNothing && query.owner !== undefined && query.cursor === undefined && !query.q
  const isOurs = sources.some((one) => one.kind === 'app' && one.login.toLowerCase() === query.owner?.toLowerCase())
  // An account whose app sees no repository yet is known all the same.
  if (isPerson || (isUnknown && (!isOurs || caller.role === 'viewer'))) throw notFound('account at the git host')
  return { data: data.map((row) => shown(parts, row)), nextCursor, listing }
}

export async function showRepository(
  parts: GithostParts,
  caller: Caller,
  asked: Asked & { branches: boolean },
): Promise<GithostRepositoryDetail> {
  const seen = await requireRepository(parts, caller, asked)
  const { row } = seen
  const { data, nextCursor } = asked.branches
    ? await branchesOf(parts, caller, seen, { limit: 100, signal: asked.signal })
    : { data: undefined, nextCursor: null }
  return {
    ...shown(parts, row),
    linkedProjects: await mirror.projectsOf(parts.db, caller.orgId, row.repoId),
    push: await coverageOf(parts, caller.orgId, seen),
    ...(data && { branches: data, branchesTruncated: nextCursor !== null }),
  }
}

export async function listBranches(
  parts: GithostParts,
  caller: Caller,
  asked: Asked & { limit: number; cursor?: string | undefined },
) {
  return branchesOf(parts, caller, await requireRepository(parts, caller, asked), asked)
}

/** The host gives pages by number; the cursor is that number, and the size it was asked with. */
async function branchesOf(
  parts: GithostParts,
  caller: Caller,
  { row, at }: Seen,
  { limit, cursor, signal }: { limit: number; cursor?: string | undefined; signal: AbortSignal },
): Promise<{ data: GithostBranch[]; nextCursor: string | null }> {
  const [, page = '1', size = String(limit)] = /^(\d{1,6})x(\d{1,3})$/.exec(textIn(cursor)) ?? []
  if (cursor !== undefined && textIn(cursor) !== `${page}x${size}`) throw unknownCursor()
  const { data, more } = await read(parts, { orgId: caller.orgId, owner: at.owner, signal }, (host) =>
    host.branches(at, Number(page), Number(size)),
  )
  return {
    data: data.map((branch) => ({ ...branch, isDefault: branch.name === row.defaultBranch })),
    nextCursor: more ? Buffer.from(`${Number(page) + 1}x${size}`).toString('base64url') : null,
  }
}

const textIn = (cursor: string | undefined) => Buffer.from(cursor ?? '', 'base64url').toString('utf8')
