import type { Promotion } from '@slipway/contract/promotion'
import { notFound } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import * as promotions from '../promotion-store.ts'

export async function showPromotion({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string): Promise<Promotion> {
  const project = await requireProject(db, caller, id)
  const row = await promotions.newest(db, project.orgId, project.id)
  if (!row) throw notFound('promotion')
  const { state, step, error, dns, createdAt, finishedAt } = row
  return {
    ...{ deploymentId: row.id, state, step, error, dns },
    startedAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  }
}
