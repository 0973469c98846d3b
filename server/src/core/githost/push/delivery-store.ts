import type { DeliveryDecision, ListDeliveries } from '@slipway/contract/githost-deliveries'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable, Tx } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'
import { newId } from '../../../db/ids.ts'
import type { Tables } from '../../../db/tables.ts'
import { MOST_LOOKED_AT, startOf } from '../../page.ts'
import { seen, seesAll, type Viewer } from '../mirror-store.ts'
import type { Head, HeadKey } from './head-store.ts'

export type DeliveryRow = Selectable<Tables['githostDelivery']>
export type Decided = {
  decision: DeliveryDecision
  reason: string | null
  projectId?: string | null
  deploymentId?: string | null
}

const MOST = 500
const KEEP_BODY = '7 days'
const KEEP = '90 days'

const undecided = (db: Queryable, { orgId, repoId, ref }: HeadKey) =>
  db
    .selectFrom('githostDelivery')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('repoId', '=', repoId)
    .where('ref', '=', ref)
    .where('decidedAt', 'is', null)
    .limit(MOST)

/** Not taken into account yet. */
export const open = (db: Queryable, head: HeadKey) =>
  undecided(db, head).where('seq', 'is', null).orderBy('id').execute()

/** Taken into account, but not decided for every project. */
export const taken = (db: Queryable, head: HeadKey) =>
  undecided(db, head).where('seq', 'is not', null).orderBy('seq').orderBy('id').execute()

/** Commits that the branch was at lately. */
export async function former(db: Queryable, { orgId, repoId, ref }: HeadKey): Promise<Set<string>> {
  const rows = await db
    .selectFrom('githostDelivery')
    .select(['before', 'after'])
    .where('orgId', '=', orgId)
    .where('repoId', '=', repoId)
    .where('ref', '=', ref)
    .where('seq', 'is not', null)
    .orderBy('receivedAt', 'desc')
    .limit(100)
    .execute()
  return new Set(rows.flatMap(({ before, after }) => [before, after]).filter((sha) => sha !== null))
}

export const take = async (tx: Tx, ids: string[], seq: number): Promise<void> => {
  if (ids.length > 0) await tx.updateTable('githostDelivery').set({ seq }).where('id', 'in', ids).execute()
}

/** Waits for something that is not its own. */
export const wait = async (tx: Tx, ids: string[], reason: string): Promise<void> => {
  if (ids.length === 0) return
  const waiting = { decision: 'waiting' as const, reason }
  await tx.updateTable('githostDelivery').set(waiting).where('id', 'in', ids).execute()
}

export const countAsked = async (tx: Tx, ids: string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx.updateTable('githostDelivery').set({ attempts: sql<number>`attempts + 1` }).where('id', 'in', ids).execute()
}

export const decide = async (tx: Tx, ids: string[], decided: Decided): Promise<void> => {
  if (ids.length === 0) return
  const at = { decidedAt: sql<Date>`clock_timestamp()` }
  await tx
    .updateTable('githostDelivery')
    .set({ ...decided, ...at })
    .where('id', 'in', ids)
    .execute()
}

/** The same move, decided for a further project. */
export async function copy(tx: Tx, { id, guid, ...row }: DeliveryRow, projectId: string, decided: Decided) {
  const more = { ...decided, projectId, body: null, decidedAt: new Date() }
  await insert(tx, { ...row, ...more, id: newId('ghd'), guid: `${guid}:${projectId}` })
}

export const insert = (tx: Queryable, row: Insertable<Tables['githostDelivery']>) =>
  tx
    .insertInto('githostDelivery')
    .values(row)
    .onConflict((conflict) => conflict.columns(['hookKey', 'guid']).doNothing())
    .execute()

/** A move that was found and not told is listed like one that was. */
export const found = (head: Head, via: DeliveryRow['via'], seq: number) => ({
  ...{ id: newId('ghd'), orgId: head.orgId, hookKey: via, event: 'push', via, repoId: head.repoId, ref: head.ref, seq },
  guid: `${head.orgId}:${head.host}:${head.repoId}:${head.ref}:${seq}:${via === 'replay' ? newId('req') : ''}`,
})

const of = (db: Queryable, { orgId }: Viewer) => db.selectFrom('githostDelivery as d').where('d.orgId', '=', orgId)

/**
 * Of repositories that the caller's role may see; what is about none is for those who see everything. Asked row by row:
 * "there is one" may be answered by reading all repositories first.
 */
const isShown = (db: Queryable, viewer: Viewer) =>
  seesAll(viewer)
    ? sql<boolean>`true`
    : sql<boolean>`d.repo_id = (${seen(db, viewer).select('r.repoId').whereRef('r.repoId', '=', sql.ref('d.repo_id')).limit(1)})`

export const find = (db: Queryable, viewer: Viewer, id: string): Promise<DeliveryRow | undefined> =>
  of(db, viewer).selectAll('d').where(isShown(db, viewer)).where('d.id', '=', id).executeTakeFirst()

/** Newest first; one more than the page holds. `reached`: where it stopped looking, if that is before the end. */
export async function list(
  db: Queryable,
  viewer: Viewer,
  query: ListDeliveries,
): Promise<{ rows: DeliveryRow[]; reached: string | null }> {
  let asked = of(db, viewer).where('d.id', '<', startOf(query)).orderBy('d.id', 'desc')
  if (query.projectId !== undefined) asked = asked.where('d.projectId', '=', query.projectId)
  if (query.repo !== undefined) asked = asked.where(sql`lower(d.repository)`, '=', query.repo.toLowerCase())
  if (query.decision === 'waiting') asked = asked.where('d.decidedAt', 'is', null)
  else if (query.decision !== undefined) asked = asked.where('d.decision', '=', query.decision)
  const last = seesAll(viewer)
    ? undefined
    : await asked
        .select('d.id')
        .offset(MOST_LOOKED_AT - 1)
        .limit(1)
        .executeTakeFirst()
  const rows = await asked
    .selectAll('d')
    .where('d.id', '>=', last?.id ?? '')
    .where(isShown(db, viewer))
    .limit(query.limit + 1)
    .execute()
  return { rows, reached: last?.id ?? null }
}

/** Bodies go after a week, ids after three months: until then the same delivery is not taken twice. */
export async function sweep(db: Queryable): Promise<void> {
  await sql`update githost_delivery set body = null where ctid = any (array(select ctid from githost_delivery
    where body is not null and received_at < now() - ${sql.lit(KEEP_BODY)}::interval limit 5000))`.execute(db)
  await deleteOld(db, 'githost_delivery', sql`received_at < now() - ${sql.lit(KEEP)}::interval`)
}
