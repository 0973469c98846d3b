import type { Queryable } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import type { ComposePlan, Wait } from './blueprint.ts'

/** A service as it ran on its server before it was adopted. Holds values of variables, so it is sealed at rest. */
type AdoptedPlan = {
  compose: ComposePlan
  after: Wait[]
  /** Those of its networks that lead nowhere else. */
  internal: string[]
  /** A proxy of the server led visitors to it. */
  led: boolean
}
export type AdoptedService = { name: string; serverId: string; key: string; plan: AdoptedPlan }

type Keys = Pick<BaseParts, 'keys'>
type Owner = { id: string; orgId: string }

const placeOf = (projectId: string, name: string) => `adopted_service/${projectId}/${name}/plan`

export async function insertAdopted(
  db: Queryable,
  { keys }: Keys,
  project: Owner,
  services: AdoptedService[],
): Promise<void> {
  const rows = services.map(({ name, serverId, key, plan }) => ({
    ...{ projectId: project.id, orgId: project.orgId, name, serverId, key },
    plan: keys.seal(JSON.stringify(plan), placeOf(project.id, name)),
  }))
  await db.insertInto('adoptedService').values(rows).execute()
}

export async function loadAdopted(db: Queryable, { keys }: Keys, project: Owner): Promise<AdoptedService[]> {
  const rows = await db
    .selectFrom('adoptedService')
    .selectAll()
    .where('orgId', '=', project.orgId)
    .where('projectId', '=', project.id)
    .orderBy('name')
    .execute()
  return rows.map(({ name, serverId, key, plan }) => {
    return { name, serverId, key, plan: JSON.parse(keys.open(plan, placeOf(project.id, name))) }
  })
}

/** On which server a project was adopted; undefined for one that was not. */
export async function adoptedOn(db: Queryable, project: Owner): Promise<string | undefined> {
  const row = await db
    .selectFrom('adoptedService')
    .select('serverId')
    .where('orgId', '=', project.orgId)
    .where('projectId', '=', project.id)
    .limit(1)
    .executeTakeFirst()
  return row?.serverId
}
