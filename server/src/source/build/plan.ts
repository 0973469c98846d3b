import { Refusal } from '../../errors.ts'
import { detectWithoutCompose } from './detect.ts'
import { type Choices, dockerfileOf, type Found, type Strategy } from './detection.ts'
import { plainPath } from './dockerfile.ts'
import { type Look, lookInto } from './look.ts'
import { detectNode } from './node/detect-node.ts'
import { below, cleanFolder, type SourceTree } from './source-tree.ts'
import { detectStatic } from './stacks/static.ts'
import { detectDockerfile } from './user-dockerfile.ts'

/** How an image is made of a source tree. Files in, plan out: nothing is built or changed here. */
export type BuildPlan = {
  strategy: Strategy
  /** A Dockerfile of the user's stays as it is; a generated one never touches the source. */
  dockerfile: { inContext: string } | { text: string }
  /** What the build sees of the source. */
  tree: SourceTree
  /** Where the service listens, unless the image says otherwise. */
  port: number
  because: string[]
  warnings: string[]
}

export type BuildSettings = Choices & {
  strategy: 'auto' | 'dockerfile' | 'static'
  /** The part of the source that is meant; all of it when not said. */
  rootDirectory?: string | undefined
  dockerfile?: string | undefined
}

export async function planBuild(tree: SourceTree, settings: BuildSettings): Promise<BuildPlan> {
  const root = lookInto(tree)
  const folder = cleanFolder(settings.rootDirectory)
  if (!root.hasFolder(folder)) throw nothingToBuild(`There is no folder ${folder} in the source.`)
  const look = root.at(folder)
  const choices = choicesOf(settings)
  const found = await findWanted(root, look, settings, choices)
  const { dockerfilePath: path } = found
  const text = path === undefined ? dockerfileOf(found, choices) : null
  if (path === undefined && text === null) throw nothingToBuild('Nothing in the source says how to build it.')
  return {
    strategy: found.strategy,
    dockerfile: path === undefined ? { text: text ?? '' } : { inContext: path },
    tree: below(tree, found.context ?? folder),
    port: settings.port ?? found.port ?? 8080,
    because: found.because,
    warnings: found.warnings,
  }
}

/** Only what may change a recipe; paths that end up in instructions are checked here, once for all stacks. */
function choicesOf({ strategy: _, rootDirectory: __, dockerfile: ___, ...settings }: BuildSettings): Choices {
  const { installCommand, buildCommand, startCommand, outputDirectory, port, secrets = [] } = settings
  const output = outputDirectory === undefined ? undefined : cleanFolder(plainPath(outputDirectory)) || '.'
  return { installCommand, buildCommand, startCommand, outputDirectory: output, port, secrets }
}

async function findWanted(root: Look, look: Look, settings: BuildSettings, choices: Choices): Promise<Found> {
  if (settings.strategy === 'dockerfile' || settings.dockerfile !== undefined) {
    const own = await detectDockerfile(look, settings.dockerfile)
    if (own) return own
    throw nothingToBuild(`There is no ${settings.dockerfile ?? 'Dockerfile'} in the source.`)
  }
  if (settings.strategy === 'static') return findStatic(look, choices)
  const found = await detectWithoutCompose(root, look)
  if (found.strategy !== 'monorepo') return found
  const [only, ...others] = found.services
  if (only && others.length === 0) return { ...only, context: only.context ?? only.rootDirectory ?? '' }
  const folders = found.services.map(({ rootDirectory }) => rootDirectory).join(', ')
  throw nothingToBuild(`The source has several parts that can be deployed: ${folders}.`, 'Name one with rootDirectory.')
}

/** Pages, because someone says so: those a build leaves, or those that are there. */
async function findStatic(look: Look, choices: Choices): Promise<Found> {
  const node = await detectNode(look)
  if (node?.strategy === 'static') return node
  const pages = await detectStatic(look, choices.outputDirectory)
  const built = node?.buildCommand != null || choices.buildCommand !== undefined
  if (node && built && (pages === null || choices.outputDirectory !== undefined)) {
    const { recipe } = node
    return { ...node, strategy: 'static', port: 8080, recipe: (wanted) => recipe?.({ ...wanted, files: true }) ?? '' }
  }
  if (pages) return pages
  throw nothingToBuild(
    `There is no index.html ${choices.outputDirectory ? `in ${choices.outputDirectory}` : 'in the source'}.`,
  )
}

const nothingToBuild = (
  message: string,
  hint = 'Add a Dockerfile, a package.json with a start script, or an index.html, or deploy an image.',
) => new Refusal('nothing_to_build', message, { hint })
