import type { Queryable } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import * as store from './store.ts'

export async function requireServer(db: Queryable, caller: Caller, id: string): Promise<store.ServerRow> {
  const server = await store.find(db, caller.orgId, id)
  if (!server) throw notFound('server')
  return server
}
