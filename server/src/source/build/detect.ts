import { Refusal } from '../../errors.ts'
import { detectCompose } from './compose-file.ts'
import { detectOne } from './detect-one.ts'
import type { Detection, Found } from './detection.ts'
import { type Look, lookInto } from './look.ts'
import { detectFolders, detectWorkspace, workspacePlace } from './monorepo.ts'
import { nxApplications } from './node/nx.ts'
import { cleanFolder, type ReadableTree } from './source-tree.ts'
import { detectStatic } from './stacks/static.ts'
import { detectDockerfile } from './user-dockerfile.ts'

/**
 * What a source is and how it would be deployed, from its files alone. The first that fits counts:
 *  1. a compose file says of which services it consists
 *  2. a Dockerfile says how it is built
 *  3. a workspace has several packages that can be deployed
 *  4. a framework or a language that we know
 *  5. folders that are each one of these
 *  6. pages as they are
 */
export async function detect(
  tree: ReadableTree,
  { folder, signal }: { folder?: string | undefined; signal?: AbortSignal } = {},
): Promise<Detection> {
  const root = lookInto(tree, signal)
  const clean = cleanFolder(folder)
  if (!root.hasFolder(clean)) throw nothing(`There is no folder ${clean} in the source.`)
  const look = root.at(clean)
  return (
    (await detectCompose(look).then((found) => found && withAdvice(look, found))) ??
    (await detectWithoutCompose(root, look))
  )
}

/** The same for who builds one image: a compose file says nothing about that. */
export async function detectWithoutCompose(root: Look, look: Look): Promise<Detection> {
  const found =
    (await detectDockerfile(look).then(alone)) ??
    (await detectWorkspace(look)) ??
    (await detectPlaced(root, look).then(alone)) ??
    (await detectFolders(look)) ??
    (await detectStatic(look).then(alone))
  if (found) return found
  const where = look.folder === '' ? 'at the root of the source' : `in ${look.folder}`
  throw nothing(`There is no Dockerfile, index.html or manifest of a language that we know ${where}.`)
}

/** A package of a workspace is still that when its folder alone is asked for. */
async function detectPlaced(root: Look, look: Look): Promise<Found | null> {
  if (look.folder === '') return detectOne(look)
  const [application] = (await nxApplications(root)).filter(({ rootDirectory }) => rootDirectory === look.folder)
  return application ?? detectOne(look, await workspacePlace(root, look.folder))
}

const alone = (found: Found | null): Detection | null => found && { ...found, services: [] }

/** Many keep a compose file only for the database of their development. */
async function withAdvice(look: Look, found: Detection): Promise<Detection> {
  if (found.services.length === 0 || found.services.some(({ rootDirectory }) => rootDirectory !== null)) return found
  const app = (await detectDockerfile(look)) ?? (await detectOne(look).catch(() => null))
  if (app === null) return found
  const what = app.framework ?? app.language ?? app.strategy
  const advice = `The compose file builds nothing of this source, which is itself ${what}; deploy it with another buildStrategy if the file is only for development.`
  return { ...found, warnings: [...found.warnings, advice], confidence: 'medium' }
}

const nothing = (message: string) =>
  new Refusal('nothing_to_build', message, {
    hint: 'Add a Dockerfile, a package.json with a start script, or an index.html, or name another folder.',
  })
