import type { Queryable } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import * as store from './store.ts'

export async function requireDestination(db: Queryable, caller: Caller, id: string): Promise<store.DestinationRow> {
  const row = await store.find(db, caller.orgId, id)
  if (!row) throw notFound('backup destination')
  return row
}
