import { randomUUID } from 'node:crypto'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { Tables } from '../../../db/tables.ts'
import type { HeadKey } from './head-store.ts'

export type Polled = HeadKey & {
  seq: string
  sha: string | null
  hookAt: Date | null
  silentAt: Date | null
  movedAt: Date | null
  owner: string | null
  name: string | null
  sourceKey: string | null
  defaultBranch: string | null
  heardAt: Date | null
  pollEvery: number
}

/** Whoever waits for a row that another process has just polled sees that: it is not near again at once. */
const rested = (now: Date) => sql`coalesce(polled_at, '-infinity') <= ${now}::timestamptz - interval '30 seconds'`

const isNear = (now: Date) =>
  sql`h.poll_at <= ${now}::timestamptz + h.poll_every * interval '0.2 seconds' and ${rested(now)}`
/** Heads in one request. */
const PER_LIST = 100

type Claiming = { now: Date; poller: string; organizations: number; most: number }
/** A process that dies in between is followed by another after that; also how long a round may take. */
const LEASE = sql`interval '60 seconds'`
/** Another process takes what the one that has the tokens did not poll in time. */
const PATIENCE = sql`interval '5 seconds'`

/**
 * Heads whose time has come, and those of the same organization whose time is near: one request asks about a hundred of
 * them. An organization with more than that is taken alone, so that its lists are full ones. Whoever claims moves the time
 * on in the same statement, so no two processes poll a head in the same round; and an organization is claimed by one of them
 * at a time, or each would ask about some of its heads.
 */
export async function claim(db: Queryable, { now, poller, organizations, most }: Claiming): Promise<Polled[]> {
  const { rows } = await sql<Polled>`
    with due as (select org_id from githost_head where poll_at <= ${now} and (
        poller is null or poller = ${poller} or poll_at <= ${now}::timestamptz - ${PATIENCE})
        and ${rested(now)} order by poll_at limit ${organizations * 10}),
    several as (select distinct org_id from due limit ${organizations}),
    chosen as materialized (select org_id from several where pg_try_advisory_xact_lock(hashtextextended('githost polls of ' || org_id, 0))),
    large as (select org_id from githost_head h where org_id in (select org_id from chosen)
      and ${isNear(now)} group by org_id having count(*) > ${PER_LIST} order by org_id limit 1),
    near as (select h.org_id, h.host, h.repo_id, h.ref from githost_head h
      where h.org_id in (select org_id from chosen) and (h.org_id in (select org_id from large) or not exists (select from large))
        and ${isNear(now)}
      order by h.org_id, h.repo_id, h.ref limit ${most} for update skip locked),
    claimed as (update githost_head h set poll_at = ${now}::timestamptz + ${LEASE}, polled_at = ${now}, poller = ${poller} from near
      where (h.org_id, h.host, h.repo_id, h.ref) = (near.org_id, near.host, near.repo_id, near.ref) returning h.*)
    select c.org_id, c.host, c.repo_id, c.ref, c.seq, c.sha, c.hook_at, c.silent_at, c.moved_at, c.poll_every,
      r.owner, r.name, r.source_key, r.default_branch, greatest(a.heard_at, k.heard_at) as heard_at
    from claimed c
    left join lateral (select * from githost_repository r where r.org_id = c.org_id and r.repo_id = c.repo_id
      order by r.rank, r.source_key limit 1) r on true
    left join githost_link l on l.id = r.source_key left join githost_app a on a.id = l.app
    left join githost_hook k on k.org_id = c.org_id and k.host = c.host and k.repo_id = c.repo_id`.execute(db)
  return rows
}

/** One cheap question a second. */
export async function whatIsDue(db: Queryable): Promise<{ heads: boolean; polls: boolean; reports: boolean }> {
  const { rows } = await sql<{ heads: boolean; polls: boolean; reports: boolean }>`select
    exists (select 1 from githost_head where dirty_at <= statement_timestamp()) as heads,
    exists (select 1 from githost_head where poll_at <= statement_timestamp()) as polls,
    exists (select 1 from githost_report where send_at <= statement_timestamp()) as reports`.execute(db)
  return rows[0] ?? { heads: false, polls: false, reports: false }
}

export type Next = HeadKey & { pollAt: Date; pollEvery: number; differs: boolean; first: string | null }

/** When they are next, and which of them are worth asking about. One never seen before begins where it is. */
export async function saveNext(db: Queryable, rows: Next[]): Promise<void> {
  if (rows.length === 0) return
  const [orgs, hosts] = [rows.map(({ orgId }) => orgId), rows.map(({ host }) => host)]
  const [repos, refs] = [rows.map(({ repoId }) => repoId), rows.map(({ ref }) => ref)]
  const times = rows.map(({ pollAt }) => pollAt.toISOString())
  const [every, differs] = [rows.map(({ pollEvery }) => pollEvery), rows.map((one) => one.differs)]
  const first = rows.map((one) => one.first)
  await sql`
    with said as (select * from unnest(${orgs}::text[], ${hosts}::text[], ${repos}::bigint[], ${refs}::text[],
        ${times}::timestamptz[], ${every}::int[], ${differs}::bool[], ${first}::text[])
      as said (org_id, host, repo_id, ref, poll_at, poll_every, differs, first)),
    held as (select s.* from said s join githost_head h using (org_id, host, repo_id, ref)
      order by s.org_id, s.repo_id, s.ref for update of h)
    update githost_head h set poll_at = s.poll_at, poll_every = s.poll_every, ask = h.ask or s.differs,
      sha = case when h.seq = 0 and s.first is not null then s.first else h.sha end,
      seq = case when h.seq = 0 and s.first is not null then 1 else h.seq end,
      dirty_at = case when s.differs or (h.seq = 0 and s.first is not null)
        then least(h.dirty_at, clock_timestamp()) else h.dirty_at end
    from held s where (h.org_id, h.host, h.repo_id, h.ref) = (s.org_id, s.host, s.repo_id, s.ref)`.execute(db)
}

/**
 * After a start everything is looked at once, spread over a minute: a part at a time, those that are due last. Answers with
 * where the next part begins, null after the last one.
 */
export async function hasten(db: Queryable, after: Date, startedAt: Date): Promise<Date | null> {
  const { rows } = await sql<{ last: Date | null }>`
    with listed as (select org_id, host, repo_id, ref, poll_at, polled_at from githost_head
      where poll_at > ${after} order by poll_at limit 500),
    hastened as (update githost_head h set poll_at = clock_timestamp() + random() * interval '60 seconds' from listed s
      where (h.org_id, h.host, h.repo_id, h.ref) = (s.org_id, s.host, s.repo_id, s.ref)
        and coalesce(s.polled_at, '-infinity') < ${startedAt})
    select max(poll_at) as last from listed`.execute(db)
  return rows[0]?.last ?? null
}

/** Of the projects that are deployed from it; null: nothing is wrong any more. */
export async function flagProjects(
  db: Queryable,
  { orgId, repoId }: HeadKey,
  problem: 'replaced' | 'not_seen' | null,
): Promise<void> {
  await sql`update project set githost_problem = ${problem} where org_id = ${orgId}
    and githost_repo_id = ${repoId}::bigint and githost_problem is distinct from ${problem}`.execute(db)
}

/** The default branch is another one now: projects that follow it follow the new one. */
export async function setDefaultBranch(db: Queryable, orgId: string, repoId: string, branch: string): Promise<void> {
  await sql`update githost_repository set default_branch = ${branch}
    where org_id = ${orgId} and repo_id = ${repoId}::bigint`.execute(db)
  await sql`update project set head_ref = null
    where org_id = ${orgId} and githost_repo_id = ${repoId}::bigint and branch is null`.execute(db)
}

/** With an app for each organization, all of them in a minute would be too many. */
const MOST_APPS = 50

type HeardApp = Pick<Selectable<Tables['githostApp']>, 'id' | 'appId' | 'privateKey' | 'orgId' | 'hookKey'> & {
  app: string
}

/** Apps of our own whose hook has been heard from: some, from anywhere on. Keys are random, so that each has its turn. */
export async function apps(db: Queryable, host: string, from: string = randomUUID()): Promise<HeardApp[]> {
  const some = (where: RawBuilder<unknown>) => sql`(
    select id, id as app, app_id, private_key, org_id, hook_key from githost_app
    where host = ${host} and heard_at is not null and via = 'own' and ${where} order by hook_key limit ${MOST_APPS})`
  const { rows } = await sql<HeardApp>`
    ${some(sql`hook_key >= ${from}`)} union all ${some(sql`hook_key < ${from}`)} limit ${MOST_APPS}`.execute(db)
  return rows
}

/** Of deliveries that failed, those that we do not know. */
export async function unknown(db: Queryable, hookKey: string, guids: string[]): Promise<Set<string>> {
  if (guids.length === 0) return new Set()
  const { rows } = await sql<{ guid: string }>`
    select g.guid from unnest(${guids}::text[]) as g (guid) where not exists (
      select 1 from githost_delivery d where d.hook_key = ${hookKey} and d.guid >= g.guid || ':' and d.guid < g.guid || ';')`.execute(
    db,
  )
  return new Set(rows.map(({ guid }) => guid))
}

/** Not looked at again: the host keeps them in its log for days. */
export async function noteMissed(db: Queryable, hookKey: string, missed: { guid: string; repoId: number | null }[]) {
  if (missed.length === 0) return
  const decided = {
    decision: 'known' as const,
    reason: 'it did not reach us; the host was asked',
    decidedAt: new Date(),
  }
  const rows = missed.map(({ guid, repoId }) => ({
    id: newId('ghd'),
    guid: `${guid}:`,
    hookKey,
    event: 'push',
    repoId,
    ...decided,
  }))
  await db
    .insertInto('githostDelivery')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['hookKey', 'guid']).doNothing())
    .execute()
}
