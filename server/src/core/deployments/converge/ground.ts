import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { DeployParts } from '../parts.ts'
import { openGateway } from '../routes/gateway.ts'
import { privateNetwork, publicNetwork } from '../rows/network-names.ts'
import type { Release } from '../rows/release.ts'

type Ground = { engine: EngineTarget; org: string; project: string; release: Release }

/** What the services of a release stand on: networks of the project's own, and the way in from the edge. */
export async function ensureGround(
  parts: Pick<DeployParts, 'runtime' | 'edge' | 'config'>,
  { engine, org, project, release }: Ground,
  signal: AbortSignal,
): Promise<void> {
  const all = networksOf(project, release)
  for (const { name, internal } of all)
    await parts.runtime.ensureNetwork(engine, name, { signal, org, project, ...(internal && { internal }) })
  if (all.some(({ name }) => name === publicNetwork(project)))
    await openGateway(parts, { engine, org, project, wait: false }, signal)
}

/** The project's own, and the one that the edge comes in by where something is to be reached. */
export function networksOf(project: string, { services, networks = [] }: Pick<Release, 'services' | 'networks'>) {
  const open = services.some((spec) => spec.networks.some(({ name }) => name === publicNetwork(project)))
  return [
    { name: privateNetwork(project), internal: false },
    ...(open ? [{ name: publicNetwork(project), internal: true }] : []),
    ...networks,
  ]
}
