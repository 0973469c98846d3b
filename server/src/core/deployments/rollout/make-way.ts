import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Holder } from '../../../drivers/runtime/running/holders.ts'
import type { DeployParts } from '../parts.ts'
import { sharesWith } from './exclusive.ts'

type Place = {
  parts: Pick<DeployParts, 'runtime'>
  engine: EngineTarget
  guard(): Promise<unknown>
  signal: AbortSignal
}

/**
 * Stops what has on the engine something that a service needs for itself alone: two writers of one volume lose data, and a
 * port has one owner. The runtime then starts the service when their containers have ended. `release` is what the service
 * comes up with; whoever has it in there as well shares it on purpose, and `spared` may stay for other reasons.
 */
export async function makeWay(
  { parts, engine, guard, signal }: Place,
  spec: ServiceSpec,
  { release, spared = () => false, onStop }: Way,
): Promise<void> {
  const holders = await parts.runtime.holders(engine, spec, { signal })
  for (const holder of holders) {
    const { service, deployment } = holder
    if (sharesWith(release, spec, service) || spared(service)) continue
    onStop?.(holder)
    const options = { signal, guard, deployments: [deployment], wait: false }
    await parts.runtime.remove(engine, { project: spec.project, service }, options)
  }
}

type Way = { release: ServiceSpec[]; spared?(service: string): boolean; onStop?(holder: Holder): void }
