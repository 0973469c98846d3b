import type { AuditEntry } from '@slipway/contract/access'
import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Insertable } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

type Entry = z.output<typeof AuditEntry>
export type AuditQuery = PageQuery & { action?: string | undefined; target?: string | undefined }

export async function append(db: Queryable, entry: Insertable<Tables['audit']>): Promise<void> {
  await db.insertInto('audit').values(entry).execute()
}

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
