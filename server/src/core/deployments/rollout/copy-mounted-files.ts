import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { Run } from '../../../jobs/steps.ts'
import { type SourceTree, wholeOf } from '../../../source/build/source-tree.ts'
import { openSource } from '../blueprint/source.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { Blueprint } from '../rows/blueprint.ts'

/**
 * What services mount from the source is laid into a volume of the project: files of the source replace those of before,
 * and what services wrote beside them stays. It is not undone: who goes back keeps the newer files.
 */
export async function layFiles(
  context: DeployContext,
  step: Run['step'],
  made: { blueprint: Blueprint; images: Record<string, { name: string }>; source: DeploymentSource },
): Promise<void> {
  const { blueprint, images, source } = made
  const mounts = blueprint.services.flatMap(({ compose }) => compose?.mounts ?? [])
  const paths = [...new Set(mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.source] : [])))]
  const [image] = Object.values(images)
  if (paths.length === 0 || !image) return
  await step('files', async (signal) => {
    const { parts, engine, deployment } = context
    const tree = await openSource(context, source, signal)
    const into = { org: deployment.orgId, project: deployment.projectId, image: image.name }
    await parts.runtime.putFiles(engine, { ...into, files: filesAt(tree, paths) }, { signal })
  })
}

type Laid = { path: string; mode: number; body: Buffer } | { path: string; folder: true }

/** A place that the source has nothing in becomes a folder. */
async function* filesAt(tree: SourceTree, paths: string[]): AsyncGenerator<Laid> {
  for (const place of paths) {
    const inside = tree.entries.filter(({ path }) => place === '.' || path === place || path.startsWith(`${place}/`))
    if (place !== '.' && !inside.some(({ path }) => path === place)) yield { path: place, folder: true }
    for (const entry of inside) {
      if (entry.kind !== 'file') continue
      yield { path: entry.path, mode: entry.mode, body: await wholeOf(tree, entry) }
    }
  }
}
