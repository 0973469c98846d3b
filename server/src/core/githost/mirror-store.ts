import type { Page } from '@slipway/contract/pages'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import type { HostRepository } from '../../drivers/githost/githost.ts'
import type { Caller } from '../access/caller.ts'
import { MOST_LOOKED_AT, unknownCursor } from '../page.ts'

export type RepositoryRow = Selectable<Tables['githostRepository']>
/** Through which sources somebody looks: what only a source lists that cannot be used now is not there. */
export type Viewer = Pick<Caller, 'orgId' | 'role'> & { keys: string[] }
export type Filter = { owner?: string | undefined; q?: string | undefined; limit: number; cursor?: string | undefined }

export const seesAll = ({ role }: Pick<Viewer, 'role'>) => role === 'owner' || role === 'admin'

export const keyOf = (owner: string, name: string) => `${owner}/${name}`.toLowerCase()

/**
 * What a role may see, the one condition for all lists and lookups: owners and admins everything, developers what no rule
 * takes from them, viewers of that what a project is deployed from. Of rules the longest pattern wins; none widens.
 */
function visibleTo(viewer: Viewer): RawBuilder<boolean> {
  const { role } = viewer
  if (seesAll(viewer)) return sql<boolean>`true`
  return sql<boolean>`${role === 'viewer' ? isLinked : sql`true`} and coalesce((select g.allow from githost_rule g where g.org_id = r.org_id
    and g.role = ${role} and r.full_name_key like g.matches order by length(g.pattern) desc limit 1), true)`
}

const isLinked = sql<boolean>`exists (
  select 1 from project p where p.org_id = r.org_id and p.githost_repo_id = r.repo_id)`

/**
 * Written so that no index fits. Just after a large listing, before the database has counted its rows, the planner would
 * rather read whole sources than the few rows of a page.
 */
const isOf = (alias: 'r' | 'b', { keys }: Viewer) => sql<boolean>`${sql.ref(alias)}.source_key || '' = any(${keys})`

/**
 * Of several sources that list the same repository, the first of them shows it. Asked row by row: "none before it" would
 * be answered for all repositories at once, and then most of the answer thrown away.
 */
export const isFirst = (viewer: Viewer) =>
  viewer.keys.length === 1
    ? sql<boolean>`true`
    : sql<boolean>`r.source_key = (select b.source_key from githost_repository b
        where b.org_id = r.org_id and b.repo_id = r.repo_id and ${isOf('b', viewer)}
        order by b.rank, b.source_key limit 1)`

const isSeen = (viewer: Viewer) => sql<boolean>`${isOf('r', viewer)} and ${visibleTo(viewer)}`

export const seen = (db: Queryable, viewer: Viewer) =>
  db.selectFrom('githostRepository as r').where('r.orgId', '=', viewer.orgId).where(isSeen(viewer))

/** Keyset pagination: pushed to last first. */
export async function list(db: Queryable, viewer: Viewer, { owner, q, limit, cursor }: Filter) {
  // Also of the first page: with a bound the order of the index is taken, without one everything is sorted.
  const [at, id] = cursor === undefined ? NEWEST : positionIn(cursor)
  let rows = db
    .selectFrom('githostRepository as r')
    .where('r.orgId', '=', viewer.orgId)
    .where(sql<boolean>`(r.pushed_at, r.repo_id) < (${at}::timestamptz, ${id}::bigint)`)
    .orderBy('r.pushedAt', 'desc')
    .orderBy('r.repoId', 'desc')
  if (owner !== undefined) rows = rows.where(sql`lower(r.owner)`, '=', owner.toLowerCase())
  // Few of many, and the projects say which: others need not be looked at.
  if (viewer.role === 'viewer') rows = rows.where(isLinked)
  const last = await rows
    .select(['r.pushedAt', 'r.repoId'])
    .offset(MOST_LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst()
  const [untilAt, untilId] = last ? [last.pushedAt, last.repoId] : OLDEST
  // Down to a place, not so many rows: several sources have the same repository there, and all of them are looked at.
  let page = rows
    .selectAll('r')
    .where(sql<boolean>`(r.pushed_at, r.repo_id) >= (${untilAt}::timestamptz, ${untilId}::bigint)`)
    .where(isSeen(viewer))
    .where(isFirst(viewer))
    .limit(limit + 1)
  if (q) page = page.where(sql<boolean>`position(${q.toLowerCase()} in r.full_name_key) > 0`)
  return pageOf(await page.execute(), limit, last ?? null)
}

const NEWEST = ['infinity', '9223372036854775807'] as const
const OLDEST = ['-infinity', '0'] as const

function positionIn(cursor: string): [string, string] {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const [, at, id] = /^(\d{4,6}-\d\d-\d\dT[\d:.]+Z) (\d{1,18})$/.exec(text) ?? []
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) throw unknownCursor()
  return [at, id]
}

type Place = Pick<RepositoryRow, 'pushedAt' | 'repoId'>

function pageOf(found: RepositoryRow[], limit: number, reached: Place | null): Page<RepositoryRow> {
  const data = found.slice(0, limit)
  const last = found.length > limit ? data.at(-1) : reached
  const position = last && `${last.pushedAt.toISOString()} ${last.repoId}`
  return { data, nextCursor: position ? Buffer.from(position).toString('base64url') : null }
}

/** One repository as the caller sees it, by each source that lists it, the first of them first. */
export const find = (db: Queryable, viewer: Viewer, owner: string, name: string): Promise<RepositoryRow[]> =>
  seen(db, viewer)
    .selectAll('r')
    .where('r.fullNameKey', '=', keyOf(owner, name))
    .orderBy('r.rank')
    .orderBy('r.sourceKey')
    .execute()

type Owner = Pick<RepositoryRow, 'sourceKey' | 'owner' | 'ownerType' | 'ownerAvatarUrl'>

/** Whose repositories the caller sees, and through which source. */
export const owners = (db: Queryable, viewer: Viewer): Promise<Owner[]> =>
  viewer.role === 'viewer' ? ownersOfLinked(db, viewer) : ownersOfAll(db, viewer)

/** Few of many: the projects say which. */
const ownersOfLinked = (db: Queryable, viewer: Viewer) =>
  seen(db, viewer)
    .select(['r.sourceKey', 'r.owner', 'r.ownerType', 'r.ownerAvatarUrl'])
    .distinct()
    .orderBy('r.owner')
    .limit(MOST_OWNERS)
    .execute()

/**
 * Loose index scan, also called skip scan: from one owner to the next in the order of the index, instead of reading all
 * repositories to find out whose they are.
 */
async function ownersOfAll(db: Queryable, viewer: Viewer): Promise<Owner[]> {
  const next = (key: string, after: string) => sql`(
    select r.source_key, r.owner, r.owner_type, r.owner_avatar_url from githost_repository r
    where r.org_id = ${viewer.orgId} and r.source_key = ${sql.ref(key)} and r.owner collate "C" > ${sql.raw(after)}
      and ${visibleTo(viewer)} order by r.owner collate "C" limit 1)`
  const { rows } = await sql<Owner>`
    with recursive reached as (
      select found.*, 1 as place from unnest(${viewer.keys}::text[]) as source (key)
        cross join lateral ${next('source.key', `''`)} found
      union all
      select found.*, place + 1 from reached
        cross join lateral ${next('reached.source_key', 'reached.owner')} found where place < ${MOST_OWNERS})
    select source_key, owner, owner_type, owner_avatar_url from reached order by owner limit ${MOST_OWNERS}`.execute(db)
  return rows
}

const MOST_OWNERS = 500

export async function keep(
  db: Queryable,
  source: { orgId: string; key: string; rank: number },
  repositories: HostRepository[],
): Promise<void> {
  if (repositories.length === 0) return
  const rows = repositories.map(({ id, ...one }) => ({
    ...one,
    repoId: id,
    orgId: source.orgId,
    sourceKey: source.key,
    rank: source.rank,
    fullNameKey: keyOf(one.owner, one.name),
    permissions: JSON.stringify(one.permissions),
    seenAt: sql<Date>`clock_timestamp()`,
  }))
  await db
    .insertInto('githostRepository')
    .values(rows as never)
    .onConflict((conflict) =>
      conflict.columns(['orgId', 'sourceKey', 'repoId']).doUpdateSet((eb) => ({
        owner: eb.ref('excluded.owner'),
        ownerType: eb.ref('excluded.ownerType'),
        ownerAvatarUrl: eb.ref('excluded.ownerAvatarUrl'),
        name: eb.ref('excluded.name'),
        fullNameKey: eb.ref('excluded.fullNameKey'),
        private: eb.ref('excluded.private'),
        defaultBranch: eb.ref('excluded.defaultBranch'),
        description: eb.ref('excluded.description'),
        language: eb.ref('excluded.language'),
        pushedAt: eb.ref('excluded.pushedAt'),
        permissions: eb.ref('excluded.permissions'),
        seenAt: eb.ref('excluded.seenAt'),
      })),
    )
    .execute()
}

/** It is gone at the host: from the list, from what is polled, and from the hooks. */
export async function forget(db: Queryable, orgId: string, repoId: string): Promise<void> {
  for (const table of ['githostRepository', 'githostHead', 'githostHook'] as const)
    await db.deleteFrom(table).where('orgId', '=', orgId).where('repoId', '=', repoId).execute()
}

export const dropSources = async (db: Queryable, orgId: string, keys: string[]): Promise<void> => {
  if (keys.length === 0) return
  await db.deleteFrom('githostRepository').where('orgId', '=', orgId).where('sourceKey', 'in', keys).execute()
  await db.deleteFrom('githostMirror').where('orgId', '=', orgId).where('sourceKey', 'in', keys).execute()
}

/** One process lists a source at a time; a listing that was given up may be begun again after a while. */
export async function begin(db: Queryable, orgId: string, sourceKey: string, staleMs: number): Promise<Date | null> {
  const row = await db
    .insertInto('githostMirror')
    .values({ orgId, sourceKey, begunAt: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) =>
      conflict
        .column('sourceKey')
        .doUpdateSet({ begunAt: sql<Date>`clock_timestamp()` })
        .where(sql<boolean>`coalesce(githost_mirror.begun_at, '-infinity') < now() - interval '2 minutes'
          and coalesce(githost_mirror.listed_at, '-infinity') < now() - ${staleMs} * interval '1 millisecond'`),
    )
    .returning('begunAt')
    .executeTakeFirst()
  return row?.begunAt ?? null
}

export const states = (db: Queryable, orgId: string) =>
  db.selectFrom('githostMirror').selectAll().where('orgId', '=', orgId).execute()

export const hasAny = async (db: Queryable, orgId: string, sourceKey: string): Promise<boolean> =>
  (await db
    .selectFrom('githostRepository')
    .select('repoId')
    .where('orgId', '=', orgId)
    .where('sourceKey', '=', sourceKey)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** `since`: what a whole listing did not show any more is gone. Null: the listing was not finished. */
export async function end(db: Queryable, orgId: string, sourceKey: string, since: Date | null): Promise<void> {
  const listed = since === null ? { begunAt: null } : { begunAt: null, listedAt: new Date() }
  await db
    .updateTable('githostMirror')
    .set(listed)
    .where('orgId', '=', orgId)
    .where('sourceKey', '=', sourceKey)
    .execute()
  if (since === null) return
  await db
    .deleteFrom('githostRepository')
    .where('orgId', '=', orgId)
    .where('sourceKey', '=', sourceKey)
    .where('seenAt', '<', since)
    .execute()
}

/** Projects whose repository has an address at this host but no number yet. */
export const unlinkedProjects = (db: Queryable, orgId: string, url: string) =>
  db
    .selectFrom('project')
    .select(['id', 'repository'])
    .where('orgId', '=', orgId)
    .where('githostRepoId', 'is', null)
    .where('githostAllowed', '=', true)
    .where(sql<boolean>`starts_with(lower(repository), ${`${url}/`})`)
    .limit(500)
    .execute()

export async function linkProject(db: Queryable, orgId: string, id: string, fullNameKey: string): Promise<void> {
  await db
    .updateTable('project')
    .set({
      githostRepoId: sql<string>`(select repo_id from githost_repository where org_id = ${orgId}
        and full_name_key = ${fullNameKey} order by rank limit 1)`,
    })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('githostRepoId', 'is', null)
    .execute()
}

export const projectsOf = (db: Queryable, orgId: string, repoId: string) =>
  db
    .selectFrom('project')
    .select(['id', 'name'])
    .where('orgId', '=', orgId)
    .where('githostRepoId', '=', repoId)
    .orderBy('id')
    .limit(100)
    .execute()
