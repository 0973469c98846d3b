import { eachFairly } from '../../fair-share.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { neededImages } from '../release/images.ts'
import { missingProjects, projectsOn } from './garbage-store.ts'

/** A deployment may have made something after the roots were read. */
const YOUNG_MS = 3600_000

/**
 * Takes away what carries our labels and no project needs, server by server. A project's own runs clear up behind
 * themselves; this finds what is left of projects that are gone, and of images that nobody could remove in time.
 */
export async function collectGarbage(parts: DeployParts, signal: AbortSignal): Promise<void> {
  if (!(await parts.instance.mayCollect())) return
  await eachFairly(servers.used(parts.db), { ...TOGETHER, signal }, (server) =>
    collectOn(parts, server, AbortSignal.any([signal, AbortSignal.timeout(COLLECT_MS)])).catch((error) =>
      parts.log.info({ err: error, server: server.id }, 'garbage could not be collected'),
    ),
  )
}

/** One that does not answer holds up nobody else. */
const TOGETHER = { atOnce: 4, perOrg: 1 }
const COLLECT_MS = 10 * 60_000

async function collectOn(parts: DeployParts, server: servers.ServerRow, signal: AbortSignal): Promise<void> {
  const engine = openEngineTarget(parts, server)
  const before = new Date(Date.now() - YOUNG_MS)
  const { org, engineId } = await parts.runtime.owner.read(engine, { signal })
  // What bears our name on an engine that is not ours is another installation's.
  if (org !== server.orgId) return
  const same = await servers.sameEngine(parts.db, { ...server, engineId })
  const projects = await projectsOn(
    parts.db,
    same.map(({ id }) => id),
  )
  const images = await Promise.all(projects.map(({ id, orgId }) => neededImages(parts.db, orgId, id)))
  const roots = {
    services: [],
    networks: [],
    projects: projects.map(({ id }) => id),
    images: images.flatMap((needed) => [...needed]),
    before,
  }
  const { kept, ...gone } = await parts.runtime.collectGarbage(engine, roots, { signal })
  if (Object.values(gone).some((names) => names.length > 0))
    parts.log.info({ server: server.id, ...gone, kept }, 'garbage was collected')
}

/** Longer than any of them lives. */
const STRAY_MS = 60_000

/** Containers of seconds whose owner was killed: they hold nothing and do nothing, but nobody else would ever look for them. */
export async function removeStrays(parts: DeployParts, signal: AbortSignal): Promise<void> {
  await eachFairly(servers.used(parts.db), { ...TOGETHER, signal }, async (server) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(STRAY_MS)])
    const before = new Date(Date.now() - STRAY_MS)
    const work = async () => parts.runtime.removeStrays(openEngineTarget(parts, server), { signal: within, before })
    const gone = await work().catch(() => 0)
    if (gone > 0 && !signal.aborted) parts.log.info({ server: server.id, gone }, 'stray containers were removed')
  })
}

type FolderParts = Pick<DeployParts, 'db' | 'folders' | 'instance'>

/** Folders on this machine that belong to no project any more. */
export async function sweepFolders({ db, folders, instance }: FolderParts): Promise<string[]> {
  if (!(await instance.mayCollect())) return []
  const gone = await missingProjects(db, await folders.projects())
  for (const project of gone) await folders.remove(project)
  return gone
}
