import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

export const listAudit = ({ db }: Pick<BaseParts, 'db'>, caller: { orgId: string }, query: store.AuditQuery) =>
  store.list(db, caller.orgId, query)
