import type { DeploymentPlan, PlanOperation } from '@slipway/contract/plan'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

export async function savePlan(db: Queryable, id: string, plan: DeploymentPlan): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ plan: JSON.stringify(plan) })
    .where('id', '=', id)
    .execute()
}

/** Others of its operations may be marked at the same time. */
export async function markOperations(
  db: Queryable,
  id: string,
  ids: string[],
  state: PlanOperation['state'],
): Promise<void> {
  await sql`
    update deployment set plan = jsonb_set(plan, '{operations}', (
      select coalesce(jsonb_agg(case when o ->> 'id' = any(${ids}::text[])
        then o || ${JSON.stringify({ state })}::jsonb else o end order by place), '[]')
      from jsonb_array_elements(plan -> 'operations') with ordinality t(o, place)))
    where id = ${id} and plan is not null`.execute(db)
}
