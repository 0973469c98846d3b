import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { freshen, linkProjects, rankOf } from './mirror.ts'
import * as mirror from './mirror-store.ts'
import { failed } from './refuse.ts'
import { covers, type GithostParts, type Source, sourcesOf } from './sources.ts'
import { read } from './use.ts'

export type Named = { owner: string; name: string }
export type Asked = { owner: string; repo: string; signal: AbortSignal }
/** A repository that the caller may see, and the sources that see it. */
export type Seen = { row: mirror.RepositoryRow; keys: Set<string>; at: Named }

/** Names as the host has them; another one names nothing, whatever it would mean in an address or to a program. */
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})$/
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/
const BRANCH = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\.lock$|[/.]$))[^\s\p{Cc}~^:?*[\\]{1,250}$/u

/** Filtered, foreign and unknown look the same. One that no listing has shown yet is asked for by its name. */
export async function requireRepository(parts: GithostParts, caller: Caller, asked: Asked): Promise<Seen> {
  const { owner, repo, signal } = asked
  if (!LOGIN.test(owner) || !NAME.test(repo)) throw notFound('repository')
  const rows = await usable(parts, caller, owner, repo)
  if (rows.length > 0) return seenIn(await withInstallations(parts, caller, asked, rows))
  await read(parts, { orgId: caller.orgId, owner, signal }, async (host, source) => {
    // What a viewer sees is linked to a project and so was listed: asking for more would only spend the limit.
    if (caller.role === 'viewer') throw notFound('repository')
    const found = await host.repository({ owner, name: repo })
    if (isOutside(source, found.id)) throw failed('not_found', 'It is not in what was proved.')
    await mirror.keep(parts.db, { orgId: source.orgId, key: source.key, rank: rankOf(source) }, [found])
    // It may have another name by now: the host follows the old one.
    asked.owner = found.owner
    asked.repo = found.name
  })
  await linkProjects(parts, caller.orgId)
  return seenIn(await usable(parts, caller, asked.owner, asked.repo))
}

/** An installation that nobody has listed yet may see it as well, and goes before the account that did. */
async function withInstallations(parts: GithostParts, caller: Caller, asked: Asked, rows: mirror.RepositoryRow[]) {
  const listed = await mirror.states(parts.db, caller.orgId)
  const isListed = (key: string) => listed.some(({ sourceKey, listedAt }) => sourceKey === key && listedAt !== null)
  const fresh = (await sourcesOf(parts, caller.orgId))
    .filter(covers(asked.owner))
    .filter(({ kind, key }) => kind === 'app' && !isListed(key))
  if (fresh.length === 0) return rows
  // What is known is good enough where the host does not answer.
  await freshen(parts, caller.orgId, fresh, asked.signal).catch(() => {})
  return usable(parts, caller, asked.owner, asked.repo)
}

/** Only by sources that may still be used. */
async function usable(parts: GithostParts, { orgId, role }: Caller, owner: string, repo: string) {
  const keys = (await sourcesOf(parts, orgId)).map(({ key }) => key)
  return mirror.find(parts.db, { orgId, role, keys }, owner, repo)
}

/** Public repositories answer any token: of a partial link only what was proved counts. */
const isOutside = (source: Source, id: number) =>
  source.kind === 'app' && source.link.repoIds !== null && !source.link.repoIds.includes(String(id))

function seenIn(rows: mirror.RepositoryRow[]): Seen {
  const [row] = rows
  if (row === undefined) throw notFound('repository')
  const keys = new Set(rows.map(({ sourceKey }) => sourceKey))
  return { row, keys, at: { owner: row.owner, name: row.name } }
}

export function requireBranch(branch: string): string {
  if (!BRANCH.test(branch)) throw notFound('branch')
  return branch
}
