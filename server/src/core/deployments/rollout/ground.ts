import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { DeployParts } from '../parts.ts'
import { privateNetwork, publicNetwork } from '../release/names.ts'
import type { Release } from '../release/release.ts'

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

/** Returns when it is made, or with `wait` when it lets requests through. */
export async function openGateway(
  { edge, config }: Pick<DeployParts, 'edge' | 'config'>,
  { engine, org, project, wait }: Omit<Ground, 'release'> & { wait: boolean },
  signal: AbortSignal,
): Promise<void> {
  const settings = { ...config.edge, instance: config.instance }
  await edge.gateways.open(engine, { project, org, network: publicNetwork(project) }, settings, { wait, signal })
}
