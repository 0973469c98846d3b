import { ProjectSettings } from '@slipway/contract/projects'
import type { Scene } from './scene.ts'
import * as store from './store.ts'

/** Removes images of this project that no release in the rollback window, no pin and nothing running needs. */
export async function tidyUp(scene: Scene, signal: AbortSignal): Promise<{ removed: string[] }> {
  const { parts, engine, deployment, project } = scene
  const { rollbackWindow } = ProjectSettings.parse(project.settings)
  const releases = await store.releases(parts.db, deployment.projectId, 1000)
  const window = releases.slice(0, rollbackWindow)
  const kept = new Set([
    ...scene.deployment.images,
    ...window.flatMap((row) => row.images),
    ...releases.filter((row) => row.pinned || row.active).flatMap((row) => row.images),
  ])
  const current = await store.load(parts.db, deployment.orgId, deployment.id)
  for (const image of current.images) kept.add(image)
  const removed: string[] = []
  for (const image of releases.flatMap((row) => row.images)) {
    if (kept.has(image) || !image.startsWith('slipway.invalid/')) continue
    const gone = await parts.runtime.images.remove(engine, image, { signal }).catch(() => false)
    if (gone) removed.push(image)
  }
  return { removed }
}
