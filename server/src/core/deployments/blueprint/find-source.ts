import { requireInPlace } from '../release/require-in-place.ts'
import type { Found, Scene } from '../scene.ts'
import { pinSource } from '../source.ts'
import { sealBlueprint } from './blueprint.ts'
import { drawBlueprint } from './resolve-services.ts'

/** Pins what is deployed, and says of which services it consists. */
export async function findSource(scene: Scene, signal: AbortSignal): Promise<Found> {
  const { parts, deployment, events } = scene
  const source = await pinSource(scene, signal)
  const blueprint = await drawBlueprint(scene, source, signal)
  await requireInPlace(scene, blueprint, signal)
  for (const { service, message } of blueprint.warnings)
    events.write('log', { service, step: 'source', stream: 'stderr', line: message })
  const services = blueprint.services.map(({ name }) => name)
  return { source, services, blueprint: sealBlueprint(parts, deployment.id, blueprint) }
}
