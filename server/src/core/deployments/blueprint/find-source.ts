import type { DeployContext, Found } from '../deploy-context.ts'
import { sealBlueprint } from '../rows/blueprint.ts'
import { requireInPlace } from './require-in-place.ts'
import { drawBlueprint } from './resolve-services.ts'
import { pinSource } from './source.ts'

/** Pins what is deployed, and says of which services it consists. */
export async function findSource(context: DeployContext, signal: AbortSignal): Promise<Found> {
  const { parts, deployment, events } = context
  const source = await pinSource(context, signal)
  const blueprint = await drawBlueprint(context, source, signal)
  await requireInPlace(context, blueprint, signal)
  for (const { service, message } of blueprint.warnings)
    events.write('log', { service, step: 'source', stream: 'stderr', line: message })
  const services = blueprint.services.map(({ name }) => name)
  return { source, services, blueprint: sealBlueprint(parts, deployment.id, blueprint) }
}
