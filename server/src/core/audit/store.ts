import type { AuditEntry } from '@slipway/contract/access'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Insertable, sql } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { firstIdAt } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

type Entry = z.output<typeof AuditEntry>
export type AuditQuery = PageQuery & {
  action?: string | undefined
  target?: string | undefined
  /** An id of a person, or `system`. */
  actor?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export async function append(db: Queryable, entry: Insertable<Tables['audit']>): Promise<void> {
  await db.insertInto('audit').values(entry).execute()
}

/**
 * Ids sort by time, so that every index that ends with them finds a span as well. They have the time of a process and `at` that of
 * the database, when the transaction began: so far may the two be apart.
 */
const APART_MS = 10 * 60_000

export async function list(db: Queryable, orgId: string, query: AuditQuery): Promise<Page<Entry>> {
  let rows = db
    .selectFrom('audit')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
  if (query.action !== undefined) rows = rows.where('action', '=', query.action)
  if (query.target !== undefined) rows = rows.where('target', '=', query.target)
  // As the index has it.
  if (query.actor !== undefined) rows = rows.where(sql<string>`coalesce(actor_id, 'system')`, '=', query.actor)
  if (query.from !== undefined) {
    const from = new Date(query.from)
    rows = rows.where('at', '>=', from).where('id', '>=', firstIdAt('aud', from.getTime() - APART_MS))
  }
  if (query.to !== undefined) {
    const to = new Date(query.to)
    rows = rows.where('at', '<', to).where('id', '<', firstIdAt('aud', to.getTime() + APART_MS))
  }
  return toPage(
    await rows.execute(),
    query,
    (row) => row.id,
    (row): Entry => ({
      id: row.id,
      at: row.at.toISOString(),
      action: row.action,
      target: row.target,
      actor: { kind: row.actorKind, id: row.actorId, name: row.actorName, tokenId: row.tokenId },
      address: row.address,
      requestId: row.requestId,
      detail: row.detail,
    }),
  )
}
