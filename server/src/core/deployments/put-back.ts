import type { ServiceSpec } from '../../drivers/runtime/rollout/spec.ts'
import { LATER } from '../../jobs/steps.ts'
import { explainRollout } from './explain.ts'
import { dropImagesOf } from './images.ts'
import { activeRelease } from './roll-out.ts'
import type { Scene } from './scene.ts'

const PATIENT_MS = 3 * 60_000
const DROP_MS = 10_000

export type Because = 'failed' | 'cancelled'

/**
 * Undoes a rollout from our own stored spec of the release that is active, whatever the engine did by itself. Without one
 * the service did not exist before, and goes, with its network and without a grace period: it never was a release.
 * Somebody waits for the end of a cancelled one: what takes longer goes on without us, and is seen to later.
 */
export async function putBack(scene: Scene, signal: AbortSignal, because: Because) {
  if (because === 'failed') return restore(scene, signal, because)
  const enough = AbortSignal.timeout(scene.promptMs())
  return restore(scene, AbortSignal.any([signal, enough]), because).catch((error) => {
    signal.throwIfAborted()
    if (enough.aborted || error?.code === 'engine_timeout') return LATER
    throw error
  })
}

async function restore(scene: Scene, signal: AbortSignal, because: Because) {
  const { parts, engine, deployment, run } = scene
  const previous = await activeRelease(scene)
  const guard = () => run.write(async () => {})
  for (const spec of previous) {
    const { specHash } = await parts.runtime.apply(engine, spec, { signal, interrupt: true, guard })
    if (because === 'failed') await watchReturn(scene, spec, signal)
    else if (!(await serves(scene, spec, specHash, signal))) return LATER
  }
  if (previous.length > 0) return undefined
  await parts.runtime.withdraw(engine, deployment.projectId, { signal, guard, atOnce: true })
  return undefined
}

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
    return (await dropImagesOf(parts, { engine, orgId, projectId }, id, within)).inUse.length > 0
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
