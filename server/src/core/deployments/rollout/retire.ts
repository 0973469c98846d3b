import { frozenRelease } from '../release/of-project.ts'
import type { Scene } from '../scene.ts'

/** Services of the release before that are no part of this one: no name leads to them any more. */
export async function retire(scene: Scene, signal: AbortSignal): Promise<{ removed: string[] }> {
  const { parts, engine, deployment } = scene
  const { services } = await frozenRelease(scene)
  const isPart = (name: string) => services.some(({ service }) => service === name)
  const there = await parts.runtime.observe(engine, deployment.projectId, { signal })
  const gone = there.map(({ service }) => service).filter((name) => !isPart(name))
  for (const service of gone) {
    await scene.run.write(async () => {})
    await parts.runtime.remove(engine, { project: deployment.projectId, service }, { signal })
    scene.events.write('service', { service, status: 'removed' })
  }
  return { removed: gone }
}
