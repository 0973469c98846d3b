import type { ServiceConfig } from '@slipway/contract/services'
import type { BuildRequest } from '../../../drivers/builder/builder.ts'
import { below, cleanFolder, fileAt, type SourceTree, wholeOf } from '../../../source/build/source-tree.ts'
import type { ComposeBuild } from '../../../source/compose/deployable/service.ts'
import { fault } from '../../../source/compose/faults.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { ServicePlan } from '../rows/blueprint.ts'

/** How the image of one service is built from a source. */
export type BuildOf = Pick<BuildRequest, 'dockerfile' | 'target' | 'noCache' | 'args'> & {
  strategy: string
  because: string[]
  tree: SourceTree
  port: number | null
  /** From a Dockerfile of ours. */
  generated: boolean
}

/** As the project's settings and the source say. */
export async function settingsBuild(
  { deployment }: Pick<DeployContext, 'deployment'>,
  { config }: ServicePlan,
  tree: SourceTree,
  secrets: string[],
): Promise<BuildOf> {
  const { context: folder, dockerfile, target, args = {} } = buildSettings(config.build)
  const { buildStrategy: strategy } = deployment.request
  const request = {
    ...config,
    rootDirectory: config.rootDirectory ?? folder,
    dockerfile: config.dockerfile ?? dockerfile,
    strategy: strategy === 'dockerfile' || strategy === 'static' ? strategy : ('auto' as const),
    secrets,
  }
  // Only a process that builds pays for all the stacks.
  const { planBuild } = await import('../../../source/build/plan.ts')
  const plan = await planBuild(tree, request)
  return { ...plan, ...(target !== undefined && { target }), args, generated: 'text' in plan.dockerfile }
}

type BuildSettings = {
  context?: string
  dockerfile?: string | undefined
  target?: string | undefined
  args?: Record<string, string> | undefined
}

const buildSettings = (build: ServiceConfig['build']): BuildSettings =>
  typeof build === 'object' ? build : build === undefined ? {} : { context: build }

/** As a compose file says: its Dockerfile may lie outside of the context, or stand in the compose file itself. */
export async function composeBuild(tree: SourceTree, build: ComposeBuild): Promise<BuildOf> {
  const { context, dockerfile, target, args, noCache } = build
  if (context.kind === 'remote') {
    throw fault({ file: '', path: ['build'] }, `the context ${context.address} is not in the source`, 'Add it there.')
  }
  const folder = cleanFolder(context.path)
  const base = {
    strategy: 'compose',
    tree: below(tree, folder),
    port: null,
    generated: false,
    args,
    ...(target !== null && { target }),
    ...(noCache && { noCache }),
  }
  if ('text' in dockerfile) {
    return { ...base, because: ['its Dockerfile stands in the compose file'], dockerfile: { text: dockerfile.text } }
  }
  const path = cleanFolder(dockerfile.path)
  const inside = folder === '' || path.startsWith(`${folder}/`)
  const because = [`the compose file names ${path}`]
  if (inside)
    return { ...base, because, dockerfile: { inContext: folder === '' ? path : path.slice(folder.length + 1) } }
  return { ...base, because, dockerfile: { text: await textOf(tree, path) } }
}

async function textOf(tree: SourceTree, path: string): Promise<string> {
  const found = fileAt(tree, path)
  if (!found) throw fault({ file: '', path: ['build', 'dockerfile'] }, `there is no ${path} in the source`, 'Add it.')
  return (await wholeOf(tree, found)).toString('utf8')
}
