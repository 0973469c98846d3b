import type { Found } from '../detection.ts'
import type { Look } from '../look.ts'
import { describe, type Kind } from './detect-node.ts'
import { openPackage } from './manifest.ts'

type Target = { executor?: string; options?: { outputPath?: unknown } }
type Project = { name?: string; projectType?: string; targets?: Record<string, Target> }

/** Applications of an Nx repository that has one package.json for all of them. */
export async function nxApplications(look: Look): Promise<(Found & { name: string; rootDirectory: string })[]> {
  const root = look.has('nx.json') ? await openPackage(look) : null
  if (root === null) return []
  const folders = look
    .files()
    .filter((path) => path.endsWith('/project.json') && !path.includes('node_modules/'))
    .map((path) => path.slice(0, -'/project.json'.length))
    // With a package.json of its own it is a package of the workspace.
    .filter((folder) => !look.has(`${folder}/package.json`) && /^[\w./-]+$/.test(folder))
  const all = await Promise.all(
    folders.slice(0, 100).map(async (folder) => {
      const project = await look.json<Project>(`${folder}/project.json`)
      const name = project?.name ?? folder.split('/').at(-1) ?? folder
      const kind =
        project === null || project.projectType !== 'application' || !/^[\w.@/-]+$/.test(name)
          ? null
          : kindOf(look, folder, project)
      if (kind === null) return null
      const context = look.folder
      return { ...(await describe(root, null, kind, `nx run ${name}:build`)), name, rootDirectory: folder, context }
    }),
  )
  return all.filter((one) => one !== null)
}

function kindOf(look: Look, folder: string, { name, targets }: Project): Kind | null {
  const { executor = '', options } = targets?.build ?? {}
  const said = typeof options?.outputPath === 'string' ? options.outputPath : `dist/${folder}`
  const because = [
    `${folder}/project.json makes the application ${name ?? folder}`,
    ...(executor === '' ? [] : [`${executor} builds it`]),
  ]
  const at = look.at(folder)
  if (/[:/]next:/.test(executor) || at.first('next.config.js', 'next.config.ts', 'next.config.mjs') !== undefined) {
    return { slug: 'nextjs', shape: { kind: 'server', build: null, start: `next start ${said}`, port: 3000 }, because }
  }
  if (/[:/]angular:|build-angular:/.test(executor)) {
    return {
      slug: 'angular',
      shape: { kind: 'site', build: null, output: `${said}/browser`, fallback: 'spa' },
      because,
    }
  }
  if (/[:/]vite:/.test(executor) || (executor === '' && at.has('index.html'))) {
    return { slug: 'vite', shape: { kind: 'site', build: null, output: said, fallback: 'spa' }, because }
  }
  if (!/webpack|esbuild|[:/](?:node|js|nest):|run-commands/.test(executor)) return null
  return { slug: null, shape: { kind: 'server', build: null, start: `node ${said}/main.js`, port: 3000 }, because }
}
