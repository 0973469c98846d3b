import { ProjectSettings } from '@slipway/contract/projects'
import type { Queryable } from '../../../db/database.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import { isFailure } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import * as projects from '../../projects/store.ts'
import * as store from '../rows/store.ts'

/** A host that no registry can have: nobody else can ever answer for what was built here. */
const BUILT = 'slipway.invalid'

export const repositoryOf = (projectId: string) => `${BUILT}/${projectId.replace(/_/g, '-')}`

/** Tells the deployment, so that what a build left without an owner can be found; and cannot be guessed by others. */
export const tagOf = (projectId: string, deploymentId: string, secret: string) =>
  `${repositoryOf(projectId)}:${deploymentId.replace(/_/g, '-')}-${secret}`

const isOf = (image: string, deploymentId: string) => image.includes(`:${deploymentId.replace(/_/g, '-')}-`)

/** What was running needs its successor's image gone last: two stay whatever the window is. */
const LEAST = 2

/** Images that must stay: of the active release, those in the rollback window, pinned ones, and what is being deployed. */
export async function neededImages(db: Queryable, orgId: string, projectId: string): Promise<Set<string>> {
  const { settings } = await projects.load(db, orgId, projectId)
  const { rollbackWindow } = ProjectSettings.parse(settings)
  const released = await store.releases(db, projectId, MOST_RELEASES)
  const kept = released.filter((row, n) => n < Math.max(rollbackWindow, LEAST) || row.pinned || row.active)
  const open = await store.openOnes(db, projectId)
  return new Set([...kept, ...open].flatMap((row) => row.images))
}

/** Pins are ten at most, and the window fifty. */
const MOST_RELEASES = 1000

type Parts = Pick<BaseParts, 'db' | 'runtime' | 'log'>
/** `guard` rejects when the caller has lost the right to remove anything. */
type Where = { engine: EngineTarget; orgId: string; projectId: string; guard(): Promise<unknown> }

/** Removes images that were built for the project and are needed no more. Says which went, and which are still in use. */
export async function dropImages(parts: Parts, where: Where, signal: AbortSignal) {
  const { engine, orgId, projectId } = where
  const there = await parts.runtime.images.list(engine, repositoryOf(projectId), { signal })
  const needed = await neededImages(parts.db, orgId, projectId)
  return removeAll(
    parts,
    where,
    there.filter((image) => !needed.has(image)),
    signal,
  )
}

/** The images of one deployment that came to nothing. */
export async function dropImagesOf(parts: Parts, where: Where, id: string, signal: AbortSignal) {
  const there = await parts.runtime.images.list(where.engine, repositoryOf(where.projectId), { signal })
  return removeAll(
    parts,
    where,
    there.filter((image) => isOf(image, id)),
    signal,
  )
}

async function removeAll({ runtime, log }: Parts, { engine, guard }: Where, images: string[], signal: AbortSignal) {
  const done = { removed: [] as string[], inUse: [] as string[] }
  for (const image of images) {
    await guard()
    try {
      if (await runtime.images.remove(engine, image, { signal })) done.removed.push(image)
    } catch (error) {
      signal.throwIfAborted()
      // By a container that is on its way out; anything else is worth knowing.
      if (!isFailure(error, 'runtime', 'in_use')) log.warn({ err: error, image }, 'an image could not be removed')
      done.inUse.push(image)
    }
  }
  return done
}
