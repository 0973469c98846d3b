import type { RolloutState } from '../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../drivers/runtime/rollout/spec.ts'
import { explainRollout } from './explain.ts'
import { privateNetwork } from './freeze.ts'
import { openRelease } from './release.ts'
import type { Scene } from './scene.ts'
import * as store from './store.ts'

const DEADLINE_MS = 10 * 60_000

/** Brings the frozen release up. "Healthy" is what the engine's tasks show, never what an update says about itself. */
export async function rollOut(scene: Scene, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, events } = scene
  const release = await frozenRelease(scene, deployment.id)
  for (const network of [parts.edgeNetwork.name, privateNetwork(deployment.projectId)]) {
    const project = network === parts.edgeNetwork.name ? {} : { project: deployment.projectId }
    await parts.runtime.ensureNetwork(engine, network, { signal, org: deployment.orgId, ...project })
  }
  for (const spec of release) await bringUp(scene, spec, signal)
  await events.flush()
}

async function bringUp(
  { parts, engine, deployment, events }: Scene,
  spec: ServiceSpec,
  signal: AbortSignal,
): Promise<void> {
  const applied = await parts.runtime.apply(engine, spec, { signal })
  events.write('service', { service: spec.service, status: 'deploying', did: applied.did })
  const outcome = await parts.runtime.watch(engine, spec, {
    deployment: deployment.id,
    specHash: applied.specHash,
    signal,
    deadlineMs: DEADLINE_MS,
    onState: (state: RolloutState) => events.write('service', { service: spec.service, status: 'deploying', ...state }),
  })
  signal.throwIfAborted()
  if (outcome.outcome === 'healthy') {
    events.write('service', { service: spec.service, status: 'healthy' })
    return
  }
  for (const line of outcome.cause?.lines ?? [])
    events.write('log', { service: spec.service, step: 'rollout', stream: 'stderr', line })
  events.write('service', {
    service: spec.service,
    status: 'failed',
    outcome: outcome.outcome,
    reason: outcome.cause?.reason ?? null,
  })
  await events.flush()
  throw explainRollout(outcome, spec.service)
}

/**
 * Undoes a rollout from our own stored spec of the release that is active, whatever the engine did by itself. Without one
 * the service did not exist before, and goes.
 */
export async function putBack(scene: Scene, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, service } = scene
  const active = await store.findActive(parts.db, deployment.projectId)
  const previous = active?.release ? openRelease(parts, active.id, active.release).services : []
  for (const spec of previous) {
    await parts.runtime.apply(engine, spec, { signal, interrupt: true })
    const options = { deployment: spec.deployment, signal, deadlineMs: DEADLINE_MS }
    const outcome = await parts.runtime.watch(engine, spec, options)
    // Then it is not "restored", and nobody may say so.
    if (outcome.outcome !== 'healthy') throw explainRollout(outcome, spec.service)
  }
  if (previous.length === 0) await parts.runtime.remove(engine, { project: deployment.projectId, service }, { signal })
}

async function frozenRelease({ parts, deployment }: Scene, id: string): Promise<ServiceSpec[]> {
  const { release } = await store.load(parts.db, deployment.orgId, id)
  if (release === null) throw new Error('a rollout without a release')
  return openRelease(parts, id, release).services
}
