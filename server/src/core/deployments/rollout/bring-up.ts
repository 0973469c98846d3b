import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, RolloutState } from '../../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Leaving } from '../../../drivers/runtime/rollout/wait-free.ts'
import { activeRelease } from '../release/load-release.ts'
import type { DeployContext } from '../story/deploy-context.ts'
import { sharesWith } from './exclusive.ts'
import { explainRollout } from './explain.ts'
import { makeWay } from './make-way.ts'
import { portTeller } from './tell-port.ts'
import { watchJob } from './watch-job.ts'

const DEADLINE_MS = 10 * 60_000
/** For how long a service may still be changing from what came before. */
const TURN_MS = 2 * 60_000
const LOOK_MS = 300

/**
 * Brings one service of a release up. "Healthy" is what the engine's tasks show, never what an update says about itself.
 * `since`: when an owner before this one began.
 */
export async function bringUp(
  context: DeployContext,
  spec: ServiceSpec,
  release: ServiceSpec[],
  signal: AbortSignal,
  since?: Date,
): Promise<void> {
  const { deployment, events } = context
  const { service } = spec
  if (spec.deployment === deployment.id) await stopPredecessors(context, spec, release, signal)
  const applied = await retryWhileBusy(context, spec, signal)
  // One of a former deployment that is as it was.
  if (applied.did === 'unchanged' && spec.deployment !== deployment.id) return
  // A job that is looked at again has been told of.
  if (!(spec.job && since)) events.write('service', { service, status: 'deploying', did: applied.did })
  const gap = interruption()
  const ports = portTeller(context, service, since !== undefined)
  const onState = (state: RolloutState) => {
    gap.see(state)
    ports.see(state.waitingFor ?? null)
    events.write('service', { service, status: 'deploying', ...state })
  }
  const { specHash } = applied
  const watching = spec.job
    ? watchJob(context, spec, { specHash, since, signal, onState })
    : watchService(context, spec, { specHash, signal, onState })
  const outcome = await watching.finally(ports.end)
  signal.throwIfAborted()
  if (outcome.outcome === 'healthy') {
    const interruptedMs = applied.did === 'updated' && !spec.job ? gap.ms() : 0
    events.write('service', { service, status: 'healthy', ...(interruptedMs > 0 && { interruptedMs }) })
    if (interruptedMs > 0) {
      const line = `It did not answer for about ${(interruptedMs / 1000).toFixed(1)} s while it was replaced.`
      events.write('log', { service, step: 'rollout', stream: 'stdout', line })
    }
    await events.flush()
    return
  }
  for (const line of outcome.cause?.lines ?? [])
    events.write('log', { service, step: 'rollout', stream: 'stderr', line })
  const reason = outcome.cause?.reason ?? null
  events.write('service', { service, status: 'failed', outcome: outcome.outcome, reason })
  await events.flush()
  throw explainRollout(outcome, service, spec.job)
}

/** What only one can have is given up by whoever has it before its successor starts; if that one fails, it is put back. */
async function stopPredecessors(
  context: DeployContext,
  spec: ServiceSpec,
  release: ServiceSpec[],
  signal: AbortSignal,
) {
  const { parts, engine, events, run } = context
  const before = await activeRelease(context)
  const was = before.find(({ service }) => service === spec.service)
  const place = { parts, engine, signal, guard: () => run.assertOwned() }
  await makeWay(place, spec, {
    release,
    // Both had it in the release before, so they may go on with it until their turn comes.
    spared: (service) => was !== undefined && sharesWith(before, was, service),
    onStop({ service, holds }) {
      const because = `${spec.service} takes over ${holds.join(' and ')}, which only one can have at a time`
      events.write('service', { service, status: 'removed', because })
      const line = `${service} is stopped first: ${because}.`
      events.write('log', { service: spec.service, step: 'rollout', stream: 'stdout', line })
    },
  })
}

type Watched = { specHash: string; signal: AbortSignal; onState(state: RolloutState): void }

const watchService = ({ parts, engine }: DeployContext, spec: ServiceSpec, watched: Watched): Promise<Outcome> =>
  parts.runtime.watch(engine, spec, {
    ...watched,
    deployment: spec.deployment,
    deadlineMs: DEADLINE_MS,
    // Who waits longer waits without a release that serves.
    mostRelapses: 1,
    portDecides: true,
  })

/** For how long nothing of a service ran while it was replaced, as far as looking at it can tell. */
function interruption() {
  let since: number | null = null
  let sum = 0
  return {
    see({ running, old }: RolloutState) {
      const now = performance.now()
      if (running + old === 0) since ??= now
      else if (since !== null) {
        sum += now - since
        since = null
      }
    },
    ms: () => Math.round(sum),
  }
}

/**
 * One rollout at a time: the engine may still be watching what the last one put back. A rollout that nobody brought to an
 * end is first turned back to the active release; over a bad version the engine would go back to the bad one.
 */
async function retryWhileBusy(context: DeployContext, spec: ServiceSpec, signal: AbortSignal) {
  const { parts, engine, run } = context
  const guard = () => run.assertOwned()
  const deadline = performance.now() + TURN_MS
  for (;;) {
    try {
      return await parts.runtime.apply(engine, spec, {
        signal,
        guard,
        onWait: (leaving) => tellWait(context, spec, leaving),
      })
    } catch (error) {
      if ((error as { code?: string }).code !== 'update_running' || performance.now() > deadline) throw error
    }
    const active = (await activeRelease(context)).find(({ service, job }) => service === spec.service && !job)
    if (active) await parts.runtime.apply(engine, active, { signal, guard, interrupt: true })
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

function tellWait({ events }: DeployContext, { service }: ServiceSpec, { services, containers }: Leaving): void {
  const what = containers === 1 ? 'a container' : `${containers} containers`
  const line = `It is started when ${what} of ${services.join(', ')} ${containers === 1 ? 'has' : 'have'} ended: both must not run at the same time.`
  events.write('log', { service, step: 'rollout', stream: 'stdout', line })
}
