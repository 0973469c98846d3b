import type { Applied } from '../../../drivers/runtime/rollout/apply.ts'
import type { Outcome, RolloutState } from '../../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import type { DeployContext } from '../deploy-context.ts'
import { interruption } from './interruption.ts'
import { portTeller } from './tell-port.ts'
import { watchJob } from './watch-job.ts'

type Watched = {
  did: Applied['did']
  /** When an owner before this one began. */
  since: Date | undefined
  signal: AbortSignal
}

/**
 * How the rollout of one service ended, told as it goes. "Healthy" is what the engine's tasks show, never what an update
 * says about itself.
 */
export async function watchRollout(
  context: DeployContext,
  spec: ServiceSpec,
  { did, since, signal }: Watched,
): Promise<Outcome> {
  const { parts, engine, events } = context
  const { service, deployment } = spec
  // A job that is looked at again has been told of.
  if (!(spec.job && since)) events.write('service', { service, status: 'deploying', did })
  const gap = interruption()
  const ports = portTeller(context, service, since !== undefined)
  const onState = (state: RolloutState, upMs: number | null = null) => {
    gap.see(state, upMs)
    ports.see(state.waitingFor ?? null)
    events.write('service', { service, status: 'deploying', ...state })
  }
  const specHash = parts.runtime.specHash(spec)
  // Who waits longer than for one relapse waits without a release that serves.
  const options = {
    deployment,
    specHash,
    signal,
    onState,
    deadlineMs: DEADLINES.forwardMs,
    mostRelapses: 1,
    portDecides: true,
  }
  const watching = spec.job
    ? watchJob(context, spec, { specHash, since, signal, onState })
    : parts.runtime.watch(engine, spec, options)
  const outcome = await watching.finally(ports.end)
  signal.throwIfAborted()
  tellEnd(context, spec, outcome, did === 'updated' && !spec.job ? gap.ms() : 0)
  await events.flush()
  return outcome
}

function tellEnd(
  { events }: Pick<DeployContext, 'events'>,
  { service }: ServiceSpec,
  outcome: Outcome,
  interruptedMs: number,
): void {
  if (outcome.outcome !== 'healthy') {
    for (const line of outcome.cause?.lines ?? [])
      events.write('log', { service, step: 'rollout', stream: 'stderr', line })
    const reason = outcome.cause?.reason ?? null
    events.write('service', { service, status: 'failed', outcome: outcome.outcome, reason })
    return
  }
  events.write('service', { service, status: 'healthy', ...(interruptedMs > 0 && { interruptedMs }) })
  if (interruptedMs === 0) return
  const line = `It did not answer for about ${(interruptedMs / 1000).toFixed(1)} s while it was replaced.`
  events.write('log', { service, step: 'rollout', stream: 'stdout', line })
}
