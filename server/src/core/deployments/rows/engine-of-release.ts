import type { Queryable } from '../../../db/database.ts'
import * as store from './store.ts'

type Released = { engineId: string | null }

/** Whether it was rolled out on that engine. Where either is not known nothing speaks against it. */
export const ranOn = ({ engineId }: Released, engine: string | null): boolean =>
  engineId === null || engine === null || engineId === engine

type Place = { projectId: string; serverId: string; engineId: string | null }

/** The active release, if this very engine runs it: another one at the address of its server has none of it. */
export async function findActiveOn(db: Queryable, { projectId, serverId, engineId }: Place) {
  const active = await store.findActive(db, projectId)
  return active?.serverId === serverId && ranOn(active, engineId) ? active : undefined
}
