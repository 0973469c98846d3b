import { edgeFailure } from './edge.ts'
import type { EdgeScope } from './running.ts'

/** Fetches the edge's image unless the engine has it. */
export async function ensureImage(scope: EdgeScope, image: string): Promise<void> {
  const { docker, signal } = scope
  if (await imageId(scope, image)) return
  try {
    const progress = await docker.pull(image, { abortSignal: signal })
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()))
    })
  } catch (error) {
    signal.throwIfAborted()
    throw edgeFailure('edge_not_started', `The edge's image ${image} could not be fetched.`, error)
  }
}

/** Undefined where the engine does not have it. */
export async function imageId({ docker }: Pick<EdgeScope, 'docker'>, image: string): Promise<string | undefined> {
  const there = await docker
    .getImage(image)
    .inspect()
    .catch((error: { statusCode?: number }) => {
      if (error.statusCode === 404) return undefined
      throw error
    })
  return there?.Id
}
