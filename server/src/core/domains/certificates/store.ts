import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'
import type { Tables } from '../../../db/tables.ts'
import { FEW_ORDERS, ORDER_WINDOW_MS, type Ordered, PACE_MS, type Running } from './plan.ts'
import type { CertificateRow } from './state.ts'

/** The server that is this machine, of an organization: there the platform's own name leads. */
export const machineOf = (orgId: RawBuilder<unknown>) =>
  sql`select id from server where kind = 'local' and org_id = ${orgId} order by engine_id is null, id limit 1`

/** Of a certificate `c`: the platform's own is this machine's, and always wanted. */
const place = sql`
  coalesce(d.server_id, p.server_id, case when c.project_id is null then (${machineOf(sql`c.org_id`)}) end) as server_id,
  d.id is not null or c.project_id is null as live, clock_timestamp() as now
  from certificate c left join project p on p.id = c.project_id
  left join deployment d on d.project_id = c.project_id and d.routed`

/** Where it is to be shown, and what is known of the way there. */
export type Due = CertificateRow & { serverId: string | null; live: boolean; now: Date }

/**
 * Those that are to be looked at, the longest waiting first, but not those of some organizations. Those in work are their
 * run's. `due`: to the microsecond.
 */
export async function due(db: Queryable, most: number, except: string[] = []): Promise<(Due & { due: string })[]> {
  const { rows } = await sql<Due & { due: string }>`
    select c.*, c.look_at::text as due, ${place}
    where c.look_at <= statement_timestamp() and c.run_id is null and c.org_id <> all(${except})
    order by c.look_at limit ${most}`.execute(db)
  return rows
}

export async function find(db: Queryable, orgId: string, id: string): Promise<Due | undefined> {
  const { rows } = await sql<Due>`
    select c.*, ${place}
    where c.id = ${id} and c.org_id = ${orgId}`.execute(db)
  return rows[0]
}

/** Of a name of the organization, or of the one project that a caller is restricted to. */
export async function findByHost(
  db: Queryable,
  { orgId, projectId }: { orgId: string; projectId: string | null },
  host: string,
) {
  const row = db.selectFrom('certificate').selectAll().where('orgId', '=', orgId).where('host', '=', host)
  return (projectId === null ? row : row.where('projectId', '=', projectId)).forUpdate().executeTakeFirst()
}

/** Of names of these projects. */
export async function ofHosts(db: Queryable, projectIds: string[], hosts: string[]): Promise<CertificateRow[]> {
  if (hosts.length === 0) return []
  const { rows } = await sql<CertificateRow>`
    select * from certificate where host = any(${hosts}::text[]) and project_id = any(${projectIds}::text[])`.execute(
    db,
  )
  return rows
}

export const insert = (db: Queryable, row: Insertable<Tables['certificate']>) =>
  db
    .insertInto('certificate')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doNothing())
    .execute()

export async function update(
  db: Queryable,
  orgId: string,
  id: string,
  changes: Updateable<Tables['certificate']>,
): Promise<void> {
  await db.updateTable('certificate').set(changes).where('id', '=', id).where('orgId', '=', orgId).execute()
}

export type Look = {
  id: string
  /** When it was due, as it was read. */
  due: string
  lookInMs: number
  dns: CertificateRow['dns']
  dnsOk: boolean
  problem: CertificateRow['problem']
  nextTryAt: Date | null
  renewAt: Date | null
}

/**
 * What a round of looks has found, in one statement; answers with those that count. Where something was done meanwhile (a run
 * began or ended, another process looked), what was seen is old: it is dropped, and the next look sees what is there. Nobody
 * waits for rows here, so two processes that look at once cannot block each other.
 */
export async function saveLooks(db: Queryable, looks: Look[]): Promise<Set<string>> {
  if (looks.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    with l as materialized (
      select l.* from jsonb_to_recordset(${JSON.stringify(looks)}::jsonb) as l(id text, due timestamptz, "lookInMs" float8,
        dns jsonb, "dnsOk" boolean, problem jsonb, "nextTryAt" timestamptz, "renewAt" timestamptz)
      join certificate c on c.id = l.id and c.run_id is null and c.look_at = l.due for update of c skip locked)
    update certificate c set look_at = clock_timestamp() + l."lookInMs" * interval '1 millisecond', dns = l.dns,
      waiting_since = case when l."dnsOk" = c.dns_ok then c.waiting_since else clock_timestamp() end, dns_ok = l."dnsOk",
      problem = l.problem, next_try_at = l."nextTryAt", renew_at = coalesce(l."renewAt", c.renew_at)
    from l where c.id = l.id returning c.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Soon: something changed that the name or its certificate may have waited for. */
export async function lookSoon(db: Queryable, projectId: string): Promise<void> {
  await sql`
    update certificate set look_at = clock_timestamp(), waiting_since = clock_timestamp()
    where project_id = ${projectId} and look_at > statement_timestamp() and (not_after is null or problem is not null)`.execute(
    db,
  )
}

/** Whether this run may see to it now: one at a time does. */
export async function take(db: Queryable, orgId: string, id: string, runId: string): Promise<boolean> {
  const done = await db
    .updateTable('certificate')
    .set({ runId })
    .where('id', '=', id)
    .where('orgId', '=', orgId)
    .where('runId', 'is', null)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

type OfOrg = { orgId: string; n: number }

/** How many are being seen to. */
export async function inWork(db: Queryable): Promise<Running> {
  const { rows } = await sql<OfOrg>`
    select org_id, count(*)::int as n from certificate where run_id is not null group by org_id`.execute(db)
  return { all: sumOf(rows, ({ n }) => n), own: new Map(rows.map(({ orgId, n }) => [orgId, n])) }
}

/** What was asked of the CA in its window, which bounds the number of rows here. */
export async function ordered(db: Queryable): Promise<Ordered> {
  const { rows } = await sql<OfOrg & { fresh: number; lately: number }>`
    select org_id, count(*)::int as n, (count(*) filter (where not renewal))::int as fresh,
      (count(*) filter (where at > statement_timestamp() - ${PACE_MS} * interval '1 millisecond'))::int as lately
    from acme_order where at > statement_timestamp() - ${ORDER_WINDOW_MS} * interval '1 millisecond' group by org_id`.execute(
    db,
  )
  return {
    inWindow: sumOf(rows, ({ n }) => n),
    lately: sumOf(rows, ({ lately }) => lately),
    loud: sumOf(rows, ({ fresh }) => Math.max(0, fresh - FEW_ORDERS)),
    own: new Map(rows.map(({ orgId, n }) => [orgId, n])),
  }
}

const sumOf = <T>(rows: T[], of: (row: T) => number) => rows.reduce((sum, row) => sum + of(row), 0)

/** Whether one organization has the instance for itself. */
export async function isAlone(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('organization').select('id').limit(2).execute()).length < 2
}

export const noteOrder = (db: Queryable, order: Insertable<Tables['acmeOrder']>) =>
  db.insertInto('acmeOrder').values(order).execute()

/** Of all organizations, and of one. */
export async function ordersWithin(db: Queryable, ms: number, orgId = ''): Promise<{ all: number; own: number }> {
  const { rows } = await sql<{ all: number; own: number }>`
    select count(*)::int as all, (count(*) filter (where org_id = ${orgId}))::int as own
    from acme_order where at > statement_timestamp() - ${ms} * interval '1 millisecond'`.execute(db)
  return rows[0] ?? { all: 0, own: 0 }
}

export async function sweepOrders(db: Queryable): Promise<void> {
  await deleteOld(db, 'acme_order', sql`at < now() - interval '30 days'`)
}

export type Shown = { id: string; orgId: string; host: string; serial: string }

/** What an edge is to show: for the names of projects that it leads to or is to lead to. */
export async function shownOn(db: Queryable, serverId: string, projectId: string | null = null): Promise<Shown[]> {
  const { rows } = await sql<Shown>`
    select c.id, c.org_id, c.host, c.serial from certificate c
    where c.serial is not null and (${projectId}::text is null or c.project_id = ${projectId}) and (c.project_id in (
      select project_id from deployment where routed and server_id = ${serverId}
      union select id from project where server_id = ${serverId})
      or c.project_id is null and ${serverId} = (${machineOf(sql`c.org_id`)}))
    order by c.host`.execute(db)
  return rows
}

/** The servers whose edges are to show a project's certificates, or the platform's; first the one that visitors come to. */
export async function serversOf(db: Queryable, orgId: string, projectId: string | null): Promise<string[]> {
  if (projectId === null) {
    const { rows } = await sql<{ id: string }>`${machineOf(sql`${orgId}`)}`.execute(db)
    return rows.map(({ id }) => id)
  }
  const { rows } = await sql<{ id: string }>`
    select server_id as id from deployment where project_id = ${projectId} and org_id = ${orgId} and routed
    union all
    select server_id from project where id = ${projectId} and org_id = ${orgId} and server_id is not null`.execute(db)
  return [...new Set(rows.map(({ id }) => id))]
}

/** Those that end soonest. */
export const endingSoonest = (db: Queryable, most: number) =>
  db
    .selectFrom('certificate')
    .select(['host', 'notAfter'])
    .where('notAfter', 'is not', null)
    .orderBy('notAfter')
    .limit(most)
    .execute()

export const account = (db: Queryable, directoryUrl: string) =>
  db.selectFrom('acmeAccount').selectAll().where('directoryUrl', '=', directoryUrl).executeTakeFirst()

/** Two processes that begin at once end up with the same key. */
export const insertAccount = (db: Queryable, row: Insertable<Tables['acmeAccount']>) =>
  db
    .insertInto('acmeAccount')
    .values(row)
    .onConflict((conflict) => conflict.column('directoryUrl').doNothing())
    .execute()

export async function saveAccountUrl(db: Queryable, id: string, url: string): Promise<void> {
  await db.updateTable('acmeAccount').set({ url }).where('id', '=', id).execute()
}
