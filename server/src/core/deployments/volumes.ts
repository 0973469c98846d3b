import type { Caller } from '../access/caller.ts'
import type { Platform } from '../platform.ts'
import { requireProject } from '../projects/find.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import { serversOf } from './settle-store.ts'

/** Where the services of a project keep their data, on every server it is or was on. */
export async function listVolumes(
  parts: Pick<Platform, 'db' | 'keys' | 'runtime'>,
  caller: Caller,
  id: string,
  signal: AbortSignal,
) {
  const project = await requireProject(parts.db, caller, id)
  const data: { name: string; key: string | null; serverId: string; createdAt: string | null }[] = []
  for (const serverId of await serversOf(parts.db, project.orgId, project.id)) {
    const engine = engineOf(parts, await servers.load(parts.db, project.orgId, serverId))
    // An engine that serves others has nothing of ours.
    if ((await parts.runtime.owner.read(engine, { signal })).org !== project.orgId) continue
    for (const { name, key = null, createdAt } of await parts.runtime.volumes.list(engine, project.id, { signal }))
      data.push({ name, key, serverId, createdAt })
  }
  return { data }
}
