import type { DeploymentService } from '@slipway/contract/deployment-shape'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** Changes what is said of one service: others may be changed at the same time. */
export async function patchService(
  db: Queryable,
  id: string,
  name: string,
  changes: Partial<Omit<DeploymentService, 'name'>>,
): Promise<void> {
  await sql`
    update deployment set services = (
      select coalesce(jsonb_agg(case when s ->> 'name' = ${name} then s || ${JSON.stringify(changes)}::jsonb else s end
        order by place), '[]')
      from jsonb_array_elements(services) with ordinality t(s, place))
    where id = ${id}`.execute(db)
}

/** One more image that this deployment needs. */
export async function addImage(db: Queryable, id: string, image: string): Promise<void> {
  await sql`
    update deployment set images = array_append(images, ${image}) where id = ${id} and not images @> array[${image}]`.execute(
    db,
  )
}

/** A service of a deployment, as it is shown while nothing has become of it yet. */
export const serviceOf = (
  name: string,
  image: { name: string; id: string } | null,
  status: DeploymentService['status'],
): DeploymentService => ({
  name,
  status,
  image: image?.name ?? null,
  digest: image?.id ?? null,
  previousDigest: null,
  replicas: 1,
  error: null,
})
