import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { LATER } from '../../../jobs/steps.ts'
import { dropImagesOf } from '../release/images.ts'
import { activeRelease, frozenRelease } from '../release/of-project.ts'
import type { Because, Scene } from '../scene.ts'
import { explainRollout } from './explain.ts'
import { closeOtherDoors } from './open-doors.ts'

const PATIENT_MS = 3 * 60_000
const DROP_MS = 10_000

/**
 * Undoes a rollout from our own stored specs of the release that is active, whatever the engine did by itself. What is not
 * part of it goes. Without one nothing existed before, and all goes, with its networks and without a grace period: it
 * never was a release. Asked once per service, it is done once for all of them. Somebody waits for the end of a cancelled
 * one: what takes longer goes on without us, and is seen to later.
 */
export function putBack(scene: Scene, signal: AbortSignal, because: Because): Promise<typeof LATER | undefined> {
  scene.puttingBack.begun ??= putAllBack(scene, signal, because)
  return scene.puttingBack.begun
}

async function putAllBack(scene: Scene, signal: AbortSignal, because: Because) {
  if (because === 'failed') return restore(scene, signal, because)
  const enough = AbortSignal.timeout(scene.promptMs())
  return restore(scene, AbortSignal.any([signal, enough]), because).catch((error) => {
    signal.throwIfAborted()
    if (enough.aborted || error?.code === 'engine_timeout') return LATER as typeof LATER
    throw error
  })
}

async function restore(scene: Scene, signal: AbortSignal, because: Because): Promise<typeof LATER | undefined> {
  const { parts, engine, deployment } = scene
  const previous = await activeRelease(scene)
  const guard = guardOf(scene)
  if (previous.length === 0) {
    await parts.runtime.withdraw(engine, deployment.projectId, { signal, guard, atOnce: true })
    return undefined
  }
  const { services } = await frozenRelease(scene)
  const isPart = (name: string) => previous.some(({ service }) => service === name)
  const ends = await Promise.all([
    ...previous.map((spec) => goBack(scene, spec, signal, because)),
    ...services.filter(({ service }) => !isPart(service)).map((spec) => take(scene, spec, signal)),
  ])
  if (!ends.every((done) => done)) return LATER
  await closeOtherDoors(scene, signal)
  return undefined
}

const guardOf =
  ({ run }: Scene) =>
  () =>
    run.write(async () => {})

/** Whether it is as it was. A job is over: its old form is not run again, and what is left of its new one goes. */
async function goBack(scene: Scene, spec: ServiceSpec, signal: AbortSignal, because: Because): Promise<boolean> {
  const { parts, engine, deployment } = scene
  if (spec.job) {
    const [now] = (await parts.runtime.observe(engine, deployment.projectId, { signal })).filter(
      ({ service }) => service === spec.service,
    )
    return now?.deployment === deployment.id ? take(scene, spec, signal) : true
  }
  const applied = await parts.runtime.apply(engine, spec, { signal, interrupt: true, guard: guardOf(scene) })
  if (because === 'failed') {
    await watchReturn(scene, spec, signal)
    return true
  }
  return serves(scene, spec, applied.specHash, signal)
}

/** It was not there before. */
async function take(
  scene: Scene,
  { service, deployment: brought }: ServiceSpec,
  signal: AbortSignal,
): Promise<boolean> {
  const { parts, engine, deployment } = scene
  const deployments = [deployment.id, brought]
  const options = { signal, guard: guardOf(scene), deployments }
  await parts.runtime.remove(engine, { project: deployment.projectId, service }, options)
  return true
}

/** Where a service that did not come up is after it was put back; whoever comes later tries again where that failed. */
export async function putBackOne(scene: Scene, spec: ServiceSpec, signal: AbortSignal): Promise<Status> {
  const before = (await activeRelease(scene)).find(({ service }) => service === spec.service)
  try {
    // What a job did stays done; it has nothing to go back to, unless it has taken the place of a service.
    if (spec.job && (before === undefined || before.job)) return 'failed'
    await (before ? goBack(scene, before, signal, 'failed') : take(scene, spec, signal))
    return before ? 'restored' : 'removed'
  } catch (error) {
    signal.throwIfAborted()
    scene.parts.log.warn(
      { err: error, service: spec.service, deployment: scene.run.id },
      'a service could not be put back',
    )
    return 'failed'
  }
}
type Status = 'restored' | 'removed' | 'failed'

async function watchReturn({ parts, engine }: Scene, spec: ServiceSpec, signal: AbortSignal): Promise<void> {
  const options = { deployment: spec.deployment, signal, deadlineMs: PATIENT_MS }
  const outcome = await parts.runtime.watch(engine, spec, options)
  // Then it is not "restored", and nobody may say so.
  if (outcome.outcome !== 'healthy') throw explainRollout(outcome, spec.service)
}

/** Its tasks run: mostly they never stopped, and where they had to be started again, the others serve until they do. */
const serves = ({ parts, engine, promptMs }: Scene, spec: ServiceSpec, specHash: string, signal: AbortSignal) =>
  parts.runtime.serving(engine, spec, { deployment: spec.deployment, specHash, signal, deadlineMs: promptMs() })

/** Containers of a deployment that came to nothing: the engine would keep them as a record, and their image with them. */
export const dropContainers = (scene: Scene, signal: AbortSignal, because: Because) =>
  soon(scene, signal, because, async (within) => {
    const { parts, engine, deployment } = scene
    const options = { signal: within, deployment: deployment.id }
    return (await parts.runtime.removeEnded(engine, deployment.projectId, options)).alive > 0
  })

/** Undoes a build: nobody will ever deploy what it made. */
export const dropBuild = (scene: Scene, signal: AbortSignal, because: Because) =>
  soon(scene, signal, because, async (within) => {
    const { parts, engine, deployment } = scene
    const { orgId, projectId, id } = deployment
    await parts.builder.endBuild(id)
    return (await dropImagesOf(parts, { engine, orgId, projectId, guard: guardOf(scene) }, id, within)).inUse.length > 0
  })

/** Small things that go at once or later: `work` says whether something is left. */
async function soon(
  { promptMs }: Scene,
  signal: AbortSignal,
  because: Because,
  work: (within: AbortSignal) => Promise<boolean>,
) {
  const enough = AbortSignal.timeout(because === 'failed' ? DROP_MS : promptMs())
  try {
    return (await work(AbortSignal.any([signal, enough]))) ? LATER : undefined
  } catch {
    // An engine that cannot be asked has told so already, or will.
    signal.throwIfAborted()
    return LATER
  }
}
