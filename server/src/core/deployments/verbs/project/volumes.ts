import type { Queryable } from '../../../../db/database.ts'
import type { Caller } from '../../../access/caller.ts'
import type { BaseParts } from '../../../parts.ts'
import { requireProject } from '../../../projects/find.ts'
import { openEngineTarget } from '../../../servers/open-engine-target.ts'
import * as servers from '../../../servers/store.ts'
import { serversOf } from '../../converge/settle-store.ts'

/**
 * Servers that may hold data of a project. Its deployments name them, but those go, and the data stays: then it may be on
 * any that was ever used. `sure`: whether it is known to be one.
 */
export async function serversWithData(
  db: Queryable,
  { orgId, id }: { orgId: string; id: string },
): Promise<{ id: string; sure: boolean }[]> {
  const known = await serversOf(db, orgId, id)
  const used = (await servers.whereabouts(db, orgId)).filter(({ engineId }) => engineId !== null)
  return [...new Set([...known, ...used.map((server) => server.id)])].map((id) => ({ id, sure: known.includes(id) }))
}

/** Where the services of a project keep their data, on every server it is or was on. */
export async function listVolumes(
  parts: Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>,
  caller: Caller,
  id: string,
  signal: AbortSignal,
) {
  const project = await requireProject(parts.db, caller, id)
  const data: { name: string; key: string | null; serverId: string; createdAt: string | null }[] = []
  for (const { id: serverId, sure } of await serversWithData(parts.db, project)) {
    const found = await onServer(parts, project, serverId, signal).catch((error) => {
      signal.throwIfAborted()
      // One that cannot be asked, and most likely has nothing of it, is no reason to say nothing.
      if (sure) throw error
      return []
    })
    data.push(...found.map(({ name, key = null, createdAt }) => ({ name, key, serverId, createdAt })))
  }
  return { data }
}

async function onServer(
  parts: Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>,
  project: { id: string; orgId: string },
  serverId: string,
  signal: AbortSignal,
) {
  const engine = openEngineTarget(parts, await servers.load(parts.db, project.orgId, serverId))
  // An engine that serves others has nothing of ours.
  if ((await parts.runtime.owner.read(engine, { signal })).org !== project.orgId) return []
  return parts.runtime.volumes.list(engine, project.id, { signal })
}
