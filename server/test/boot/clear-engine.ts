import { caddyEdge } from '../../src/drivers/edge/caddy.ts'
import { connectEngine } from '../../src/drivers/engine/connect.ts'
import type { EngineTarget } from '../../src/drivers/engine/engine.ts'
import { swarmRuntime } from '../../src/drivers/runtime/swarm.ts'

type Left = { instance: string; org: string; projects: string[] }

/** Nothing of a test stays on the shared engine. */
export async function clearEngine(engine: EngineTarget, { instance, org, projects }: Left): Promise<void> {
  const signal = AbortSignal.timeout(100_000)
  const runtime = swarmRuntime({ instance })
  const connect = (target: EngineTarget) => connectEngine(target, { signal, deadlineMs: 15_000 })
  for (const project of projects) await runtime.withdraw(engine, project, { signal, atOnce: true }).catch(() => {})
  await caddyEdge<EngineTarget>({ connect }, { name: `${instance}-edge` })
    .remove(engine, signal)
    .catch(() => {})
  await runtime.owner.release(engine, org, { signal }).catch(() => {})
  runtime.close()
}
