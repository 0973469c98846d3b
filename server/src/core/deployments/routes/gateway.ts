import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { BaseParts } from '../../parts.ts'
import { publicNetwork } from '../rows/network-names.ts'

type Where = { engine: EngineTarget; org: string; project: string }

/** The way in from the edge. Returns when it is made, or with `wait` when it lets requests through. */
export async function openGateway(
  { edge, config }: Pick<BaseParts, 'edge' | 'config'>,
  { engine, org, project, wait }: Where & { wait: boolean },
  signal: AbortSignal,
): Promise<void> {
  const settings = { ...config.edge, instance: config.instance }
  await edge.gateways.open(engine, { project, org, network: publicNetwork(project) }, settings, { wait, signal })
}
