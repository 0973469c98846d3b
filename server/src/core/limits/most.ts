import type { LimitKind } from '@slipway/contract/limits'
import type { Queryable } from '../../db/database.ts'
import type { BaseParts } from '../parts.ts'
import { override } from './store.ts'

export type LimitParts = { config: Pick<BaseParts['config'], 'limits'> }

/** How much an organization may have; null: no limit. What the operator said for it wins over what holds for all. */
export async function mostOf(
  { config }: LimitParts,
  db: Queryable,
  orgId: string,
  kind: LimitKind,
): Promise<number | null> {
  const own = await override(db, orgId, kind)
  return own === undefined ? config.limits[kind] : own
}
