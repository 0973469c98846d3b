import { UNDO_PENDING } from '../../../jobs/steps.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import type { Because, DeployContext, OnServer } from '../deploy-context.ts'
import { dropImagesOf } from '../release/images.ts'
import { promptMs } from './prompt.ts'

const guardOf =
  ({ run }: Pick<DeployContext, 'run'>) =>
  () =>
    run.assertOwned()

/** Containers of a deployment that came to nothing: the engine would keep them as a record, and their image with them. */
export const dropContainers = (context: OnServer, signal: AbortSignal, because: Because) =>
  soon(context, signal, because, async (within) => {
    const { parts, engine, deployment } = context
    const options = { signal: within, deployment: deployment.id, guard: guardOf(context) }
    return (await parts.runtime.removeEnded(engine, deployment.projectId, options)).alive > 0
  })

/** Undoes a build: nobody will ever deploy what it made. */
export const dropBuild = (context: OnServer, signal: AbortSignal, because: Because) =>
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
  { run }: Pick<DeployContext, 'run'>,
  signal: AbortSignal,
  because: Because,
  work: (within: AbortSignal) => Promise<boolean>,
) {
  const enough = AbortSignal.timeout(because === 'failed' ? DEADLINES.dropMs : promptMs(run))
  try {
    return (await work(AbortSignal.any([signal, enough]))) ? UNDO_PENDING : undefined
  } catch {
    // An engine that cannot be asked has told so already, or will.
    signal.throwIfAborted()
    return UNDO_PENDING
  }
}
