import type { Caller } from '../access/caller.ts'
import type { Platform } from '../platform.ts'
import * as store from './store.ts'

export const listAudit = ({ db }: Pick<Platform, 'db'>, caller: Caller, query: store.AuditQuery) =>
  store.list(db, caller.orgId, query)
