import type { OnServer } from '../deploy-context.ts'
import { dropImages } from '../release/images.ts'

/** Removes images of this project that no release in the rollback window, no pin and nothing running needs. */
export async function tidyUp({ parts, engine, deployment, run }: OnServer, signal: AbortSignal) {
  const { orgId, projectId } = deployment
  const guard = () => run.assertOwned()
  try {
    const { removed } = await dropImages(parts, { engine, orgId, projectId, guard }, signal)
    return { removed }
  } catch (error) {
    signal.throwIfAborted()
    // The release serves; what is left over is looked for again.
    parts.log.warn({ err: error, project: projectId }, 'images could not be looked for')
    return { removed: [] }
  }
}
