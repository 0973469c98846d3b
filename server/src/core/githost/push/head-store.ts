import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable, Tx } from '../../../db/database.ts'
import type { StoredRequest } from '../../../db/deployment-tables.ts'
import type { Tables } from '../../../db/tables.ts'
import { isFirst, seen, type Viewer } from '../mirror-store.ts'

export type Head = Selectable<Tables['githostHead']>
export type HeadKey = Pick<Head, 'orgId' | 'host' | 'repoId' | 'ref'>

/** The branch that a project follows: its own, or the repository's default as it was last listed. */
export const refOf = (project: 'p'): RawBuilder<string> => {
  const p = sql.id(project)
  return sql<string>`('refs/heads/' || coalesce(${p}.branch, (select r.default_branch from githost_repository r
    where r.org_id = ${p}.org_id and r.repo_id = ${p}.githost_repo_id order by r.rank limit 1)))`
}

const of = (key: HeadKey) => sql<boolean>`org_id = ${key.orgId} and host = ${key.host}
  and repo_id = ${key.repoId}::bigint and ref = ${key.ref}`

/** The head that waits longest, if no other process has it in hand. */
export const takeDue = (tx: Tx): Promise<Head | undefined> =>
  tx
    .selectFrom('githostHead')
    .selectAll()
    .where('dirtyAt', '<=', sql<Date>`statement_timestamp()`)
    .orderBy('dirtyAt')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()

export const lock = (tx: Tx, key: HeadKey): Promise<Head | undefined> =>
  tx.selectFrom('githostHead').selectAll().where(of(key)).forUpdate().executeTakeFirst()

export const find = (db: Queryable, key: HeadKey): Promise<Head | undefined> =>
  db.selectFrom('githostHead').selectAll().where(of(key)).executeTakeFirst()

/** Optimistic lock by `seq`: false says that somebody else was faster. */
export async function save(tx: Tx, head: Head, changes: Updateable<Tables['githostHead']>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('githostHead')
    .set(changes)
    .where(of(head))
    .where('seq', '=', head.seq)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Marked = { orgId: string; host: string; repoId: number | string; ref: string }

/** Something moved: made where there is none yet. In one order, so that two never wait for each other. */
export async function mark(
  db: Queryable,
  all: Marked[],
  { told, ask }: { told: boolean; ask: boolean },
): Promise<void> {
  if (all.length === 0) return
  const soon = sql`clock_timestamp() + interval '60 seconds'`
  const [orgs, hosts] = [all.map(({ orgId }) => orgId), all.map(({ host }) => host)]
  const [repos, refs] = [all.map(({ repoId }) => repoId), all.map(({ ref }) => ref)]
  await sql`
    insert into githost_head as h (org_id, host, repo_id, ref, dirty_at, hook_at, poll_at, ask)
    select org_id, host, repo_id, ref, clock_timestamp(), case when ${told} then clock_timestamp() end, ${soon}, ${ask}
    from (select distinct org_id, host, repo_id, ref collate "C" as ref from unnest(
      ${orgs}::text[], ${hosts}::text[], ${repos}::bigint[], ${refs}::text[]) as one (org_id, host, repo_id, ref)) one
    order by org_id, host, repo_id, ref
    on conflict (org_id, host, repo_id, ref) do update set dirty_at = least(h.dirty_at, clock_timestamp()),
      hook_at = coalesce(excluded.hook_at, h.hook_at), poll_at = least(h.poll_at, ${soon}), ask = h.ask or excluded.ask
  `.execute(db)
}

/** Heads of a repository that failed deliveries, or another hint, make worth asking about. */
export async function askAbout(db: Queryable, app: string, repoIds: number[]): Promise<void> {
  if (repoIds.length === 0) return
  await sql`update githost_head h set ask = true, dirty_at = least(dirty_at, clock_timestamp())
    where repo_id = any(${repoIds}::bigint[]) and exists (
      select 1 from githost_link l where l.app = ${app} and l.org_id = h.org_id)`.execute(db)
}

/** Nobody knows what was missed: each is polled soon, a hundred in a request. */
export async function lookAtHeads(db: Queryable, orgId: string, host: string): Promise<void> {
  await sql`update githost_head set poll_at = least(poll_at, clock_timestamp())
    where (org_id, host, repo_id, ref) in (select org_id, host, repo_id, ref from githost_head
      where org_id = ${orgId} and host = ${host} order by repo_id, ref for update)`.execute(db)
}

export type Following = {
  id: string
  name: string
  repository: string | null
  branch: string | null
  serverId: string | null
  target: 'server' | 'cloud'
  settings: Record<string, unknown>
  autoDeployPaused: boolean
  headSeq: string
  headRef: string | null
  /** Commit and id of the active release; since when a deployment waits. */
  deployed: string | null
  active: string | null
  buildStrategy: StoredRequest['buildStrategy'] | null
  waitingSince: Date | null
}

/** Projects that deploy this branch. */
export async function following(db: Queryable, head: HeadKey): Promise<Following[]> {
  const { rows } = await sql<Following>`
    select p.id, p.name, p.repository, p.branch, p.server_id, p.target, p.settings, p.auto_deploy_paused, p.head_seq, p.head_ref,
      d.id as active, d.source ->> 'commitSha' as deployed,
      d.request ->> 'buildStrategy' as build_strategy, (select w.created_at from deployment w
        where w.project_id = p.id and w.status = 'queued' order by w.id desc limit 1) as waiting_since
    from project p left join deployment d on d.project_id = p.id and d.active
    where p.org_id = ${head.orgId} and p.githost_repo_id = ${head.repoId}::bigint and p.githost_allowed
      and ${refOf('p')} = ${head.ref} order by p.id limit 100`.execute(db)
  return rows
}

export async function saveProject(tx: Tx, head: HeadKey, id: string, seq: number): Promise<void> {
  await tx
    .updateTable('project')
    .set({ headSeq: seq, headRef: head.ref })
    .where('orgId', '=', head.orgId)
    .where('id', '=', id)
    .execute()
}

/** Branches of projects that have just been linked, or moved to another branch. */
export async function follow(db: Queryable, host: string): Promise<void> {
  await sql`
    insert into githost_head as h (org_id, host, repo_id, ref, poll_at)
    select distinct f.org_id, ${host}, f.repo_id, f.ref, clock_timestamp() from (
      select p.org_id, p.githost_repo_id as repo_id, ${refOf('p')} as ref from project p
      where p.githost_repo_id is not null and p.githost_allowed and p.head_ref is null limit 5000) f
    where f.ref is not null
    on conflict (org_id, host, repo_id, ref) do update set dirty_at = least(h.dirty_at, clock_timestamp())
      where h.seq > 0`.execute(db)
}

/** Of what the viewer sees: branches that moved lately without a word of the hook that covers them. */
export const silentHeads = (db: Queryable, viewer: Viewer) =>
  seen(db, viewer)
    .innerJoin('githostHead as h', (join) => join.onRef('h.orgId', '=', 'r.orgId').onRef('h.repoId', '=', 'r.repoId'))
    .leftJoin('githostHook as k', (join) => join.onRef('k.orgId', '=', 'r.orgId').onRef('k.repoId', '=', 'r.repoId'))
    .select(['r.owner', 'r.name'])
    .select(sql<boolean>`r.rank = 1`.as('isApp'))
    .where(isFirst(viewer))
    .where(sql<boolean>`h.silent_at > now() - interval '7 days' and h.silent_at > coalesce(h.hook_at, '-infinity')`)
    .where(sql<boolean>`(r.rank = 1 or k.id is not null)`)
    .orderBy('h.silentAt', 'desc')
    .limit(100)
    .execute()

/** Where a repository is called what, by the first source that lists it. */
export const named = (db: Queryable, orgId: string, repoId: string) =>
  db
    .selectFrom('githostRepository')
    .select(['owner', 'name', 'sourceKey', 'defaultBranch'])
    .where('orgId', '=', orgId)
    .where('repoId', '=', repoId)
    .orderBy('rank')
    .orderBy('sourceKey')
    .limit(1)
    .executeTakeFirst()
