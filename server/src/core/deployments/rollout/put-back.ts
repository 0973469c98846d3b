import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { UNDO_PENDING } from '../../../jobs/steps.ts'
import { dropImagesOf } from '../release/images.ts'
import { activeRelease, frozenRelease } from '../release/load-release.ts'
import type { Because, DeployContext } from '../story/deploy-context.ts'
import { predecessorsOf, sharesWith } from './exclusive.ts'
import { explainRollout } from './explain.ts'
import { makeWay } from './make-way.ts'
import { closeOtherDoors } from './switch-routes.ts'

const PATIENT_MS = 3 * 60_000
const DROP_MS = 10_000

/**
 * Undoes a rollout from our own stored specs of the release that is active, whatever the engine did by itself. What is not
 * part of it goes. Without one nothing existed before, and all goes, with its networks and without a grace period: it
 * never was a release. Asked once per service, it is done once for all of them. Somebody waits for the end of a cancelled
 * one: what takes longer goes on without us, and is seen to later.
 */
export function putBack(
  context: DeployContext,
  signal: AbortSignal,
  because: Because,
): Promise<typeof UNDO_PENDING | undefined> {
  context.puttingBack.begun ??= putAllBack(context, signal, because)
  return context.puttingBack.begun
}

async function putAllBack(context: DeployContext, signal: AbortSignal, because: Because) {
  if (because === 'failed') return restore(context, signal, because)
  const enough = AbortSignal.timeout(context.promptMs())
  return restore(context, AbortSignal.any([signal, enough]), because).catch((error) => {
    signal.throwIfAborted()
    if (enough.aborted || error?.code === 'engine_timeout') return UNDO_PENDING as typeof UNDO_PENDING
    throw error
  })
}

async function restore(
  context: DeployContext,
  signal: AbortSignal,
  because: Because,
): Promise<typeof UNDO_PENDING | undefined> {
  const { parts, engine, deployment } = context
  const previous = await activeRelease(context)
  const guard = guardOf(context)
  if (previous.length === 0) {
    await parts.runtime.withdraw(engine, deployment.projectId, { signal, guard, atOnce: true })
    return undefined
  }
  const { services } = await frozenRelease(context)
  const isPart = (name: string) => previous.some(({ service }) => service === name)
  const ends = await Promise.all([
    ...previous.map((spec) => goBack(context, spec, previous, signal, because)),
    ...services.filter(({ service }) => !isPart(service)).map((spec) => take(context, spec, signal)),
  ])
  if (!ends.every((done) => done)) return UNDO_PENDING
  await closeOtherDoors(context, signal)
  return undefined
}

const guardOf =
  ({ run }: DeployContext) =>
  () =>
    run.assertOwned()

/** Whether it is as it was. A job is over: its old form is not run again, and what is left of its new one goes. */
async function goBack(
  context: DeployContext,
  spec: ServiceSpec,
  previous: ServiceSpec[],
  signal: AbortSignal,
  because: Because,
): Promise<boolean> {
  const { parts, engine, deployment } = context
  if (spec.job) {
    const [now] = (await parts.runtime.observe(engine, deployment.projectId, { signal })).filter(
      ({ service }) => service === spec.service,
    )
    return now?.deployment === deployment.id ? take(context, spec, signal) : true
  }
  // Whoever took over its volume or its port gives it back first.
  await makeWay({ parts, engine, signal, guard: guardOf(context) }, spec, { release: previous })
  const applied = await parts.runtime.apply(engine, spec, { signal, interrupt: true, guard: guardOf(context) })
  if (because === 'failed') {
    await watchReturn(context, spec, signal)
    return true
  }
  return serves(context, spec, applied.specHash, signal)
}

/** It was not there before. */
async function take(
  context: DeployContext,
  { service, deployment: brought }: ServiceSpec,
  signal: AbortSignal,
): Promise<boolean> {
  const { parts, engine, deployment } = context
  const deployments = [deployment.id, brought]
  const options = { signal, guard: guardOf(context), deployments }
  await parts.runtime.remove(engine, { project: deployment.projectId, service }, options)
  return true
}

/** Where a service that did not come up is after it was put back; whoever comes later tries again where that failed. */
export async function putBackOne(
  context: DeployContext,
  spec: ServiceSpec,
  services: ServiceSpec[],
  signal: AbortSignal,
): Promise<Status> {
  const previous = await activeRelease(context)
  const before = previous.find(({ service }) => service === spec.service)
  try {
    // What a job did stays done; it has nothing to go back to, unless it has taken the place of a service.
    const isOver = spec.job && (before === undefined || before.job)
    // Whoever has what it needs came up with the release: taking it away is for whoever decides about the whole.
    if (before && !isOver && (await isHeld(context, before, previous, signal))) return 'failed'
    if (!isOver) await (before ? goBack(context, before, previous, signal, 'failed') : take(context, spec, signal))
    await putPredecessorsBack(context, spec, { services, previous, signal })
    return isOver ? 'failed' : before ? 'restored' : 'removed'
  } catch (error) {
    signal.throwIfAborted()
    context.parts.log.warn(
      { err: error, service: spec.service, deployment: context.run.id },
      'a service could not be put back',
    )
    return 'failed'
  }
}
type Status = 'restored' | 'removed' | 'failed'

type Releases = { services: ServiceSpec[]; previous: ServiceSpec[]; signal: AbortSignal }

/** Those that were stopped for it run again, unless another service of the release has what they need. */
async function putPredecessorsBack(
  context: DeployContext,
  spec: ServiceSpec,
  { services, previous, signal }: Releases,
) {
  const { parts, engine, events } = context
  const { projectId } = context.deployment
  for (const one of predecessorsOf(spec, services, previous)) {
    const { service } = one
    // One that is part of the release and runs has had its own turn: it let go of what was taken over.
    const isPart = services.some((other) => other.service === service)
    const there = await parts.runtime.observe(engine, projectId, { signal })
    if (isPart && there.some((other) => other.service === service)) continue
    if (await isHeld(context, one, previous, signal)) continue
    await goBack(context, one, previous, signal, 'failed')
    events.write('service', { service, status: 'restored', because: `${spec.service} did not come up` })
  }
}

/** Whether another service has what this one needs for itself alone, and did not share it with it before. */
async function isHeld(
  { parts, engine }: DeployContext,
  spec: ServiceSpec,
  previous: ServiceSpec[],
  signal: AbortSignal,
) {
  const holders = await parts.runtime.holders(engine, spec, { signal })
  return holders.some(({ service }) => !sharesWith(previous, spec, service))
}

async function watchReturn({ parts, engine }: DeployContext, spec: ServiceSpec, signal: AbortSignal): Promise<void> {
  const options = { deployment: spec.deployment, signal, deadlineMs: PATIENT_MS }
  const outcome = await parts.runtime.watch(engine, spec, options)
  // Then it is not "restored", and nobody may say so.
  if (outcome.outcome !== 'healthy') throw explainRollout(outcome, spec.service)
}

/** Its tasks run: mostly they never stopped, and where they had to be started again, the others serve until they do. */
const serves = ({ parts, engine, promptMs }: DeployContext, spec: ServiceSpec, specHash: string, signal: AbortSignal) =>
  parts.runtime.serving(engine, spec, { deployment: spec.deployment, specHash, signal, deadlineMs: promptMs() })

/** Containers of a deployment that came to nothing: the engine would keep them as a record, and their image with them. */
export const dropContainers = (context: DeployContext, signal: AbortSignal, because: Because) =>
  soon(context, signal, because, async (within) => {
    const { parts, engine, deployment } = context
    const options = { signal: within, deployment: deployment.id, guard: guardOf(context) }
    return (await parts.runtime.removeEnded(engine, deployment.projectId, options)).alive > 0
  })

/** Undoes a build: nobody will ever deploy what it made. */
export const dropBuild = (context: DeployContext, signal: AbortSignal, because: Because) =>
  soon(context, signal, because, async (within) => {
    const { parts, engine, deployment } = context
    const { orgId, projectId, id } = deployment
    // Whoever owns the run by now may be building for it.
    await guardOf(context)()
    await parts.builder.endBuild(id)
    return (
      (await dropImagesOf(parts, { engine, orgId, projectId, guard: guardOf(context) }, id, within)).inUse.length > 0
    )
  })

/** Small things that go at once or later: `work` says whether something is left. */
async function soon(
  { promptMs }: DeployContext,
  signal: AbortSignal,
  because: Because,
  work: (within: AbortSignal) => Promise<boolean>,
) {
  const enough = AbortSignal.timeout(because === 'failed' ? DROP_MS : promptMs())
  try {
    return (await work(AbortSignal.any([signal, enough]))) ? UNDO_PENDING : undefined
  } catch {
    // An engine that cannot be asked has told so already, or will.
    signal.throwIfAborted()
    return UNDO_PENDING
  }
}
