import type { LimitKind } from '@slipway/contract/limits'
import { transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { record } from '../audit/record.ts'
import { listLimits } from '../limits/list.ts'
import * as store from '../limits/store.ts'
import type { BaseParts } from '../parts.ts'

/** `default`: as for all organizations; null: no limit. */
export type NewLimits = Partial<Record<LimitKind, number | null | 'default'>>

/** Sets limits of one organization. What it has already stays, also where that is more than it may have from now on. */
export async function setLimits(parts: Pick<BaseParts, 'db' | 'config'>, orgId: string, wanted: NewLimits) {
  const changes = Object.entries(wanted) as [LimitKind, number | null | 'default'][]
  await transaction(parts.db, async (tx) => {
    if (!(await store.organizationExists(tx, orgId))) throw noOrganization(orgId)
    for (const [kind, most] of changes) {
      if (most === 'default') await store.removeOverride(tx, orgId, kind)
      else await store.putOverride(tx, orgId, kind, most)
    }
    const actor = { kind: 'system', name: 'slipway admin limits', orgId } as const
    if (changes.length > 0) await record(tx, actor, 'organization.limits', orgId, wanted)
  })
  return listLimits(parts, { orgId })
}

const noOrganization = (id: string) =>
  new Refusal('not_found', `There is no organization ${id}.`, {
    hint: 'Its id begins with org_; GET /api/me shows it to its members.',
  })
