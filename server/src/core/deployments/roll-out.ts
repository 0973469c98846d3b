import { setTimeout as sleep } from 'node:timers/promises'
import type { RolloutState } from '../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../drivers/runtime/rollout/spec.ts'
import { claimServer } from '../servers/claim.ts'
import { explainRollout } from './explain.ts'
import { privateNetwork } from './freeze.ts'
import { openRelease } from './release.ts'
import type { Scene } from './scene.ts'
import * as store from './store.ts'

const DEADLINE_MS = 10 * 60_000
/** For how long a service may still be changing from what came before. */
const TURN_MS = 2 * 60_000
const LOOK_MS = 300

/** Brings the frozen release up. "Healthy" is what the engine's tasks show, never what an update says about itself. */
export async function rollOut(scene: Scene, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, events } = scene
  const release = await frozenRelease(scene, deployment.id)
  await claimServer(parts, scene.server, signal)
  for (const network of [parts.edgeNetwork.name, privateNetwork(deployment.projectId)]) {
    const project = network === parts.edgeNetwork.name ? {} : { project: deployment.projectId }
    await parts.runtime.ensureNetwork(engine, network, { signal, org: deployment.orgId, ...project })
  }
  for (const spec of release) await bringUp(scene, spec, signal)
  await events.flush()
}

async function bringUp(scene: Scene, spec: ServiceSpec, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, events } = scene
  const applied = await applyInTurn(scene, spec, signal)
  events.write('service', { service: spec.service, status: 'deploying', did: applied.did })
  const outcome = await parts.runtime.watch(engine, spec, {
    deployment: deployment.id,
    specHash: applied.specHash,
    signal,
    deadlineMs: DEADLINE_MS,
    // Who waits longer waits without a release that serves.
    mostRelapses: 1,
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
 * One rollout at a time: the engine may still be watching what the last one put back. A rollout that nobody brought to an
 * end is first turned back to the active release; over a bad version the engine would go back to the bad one.
 */
async function applyInTurn(scene: Scene, spec: ServiceSpec, signal: AbortSignal) {
  const { parts, engine, run } = scene
  const guard = () => run.write(async () => {})
  const deadline = performance.now() + TURN_MS
  for (;;) {
    try {
      return await parts.runtime.apply(engine, spec, { signal, guard })
    } catch (error) {
      if ((error as { code?: string }).code !== 'update_running' || performance.now() > deadline) throw error
    }
    for (const active of await activeRelease(scene)) {
      await parts.runtime.apply(engine, active, { signal, guard, interrupt: true })
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** What the project's release is on this server, by our own record of it. */
export async function activeRelease({ parts, deployment }: Scene): Promise<ServiceSpec[]> {
  const active = await store.findActive(parts.db, deployment.projectId)
  if (!active?.release || active.serverId !== deployment.serverId) return []
  return openRelease(parts, active.id, active.release).services
}

async function frozenRelease({ parts, deployment }: Scene, id: string): Promise<ServiceSpec[]> {
  const { release } = await store.load(parts.db, deployment.orgId, id)
  if (release === null) throw new Error('a rollout without a release')
  return openRelease(parts, id, release).services
}
