import { Refusal } from '../../errors.ts'
import type { SourceTree } from './source-tree.ts'
import { readJson } from './source-tree.ts'
import { nodeDockerfile } from './stacks/node.ts'
import { staticDockerfile } from './stacks/static.ts'

type Strategy = 'dockerfile' | 'node' | 'static'

/** How an image is made of a source tree. Files in, plan out: nothing is built or changed here. */
export type BuildPlan = {
  strategy: Strategy
  /** A Dockerfile of the user's stays as it is; a generated one never touches the source. */
  dockerfile: { inContext: string } | { text: string }
  /** Where the service listens, unless the image says otherwise. */
  port: number
  because: string[]
}

export type Wish = {
  strategy: 'auto' | 'dockerfile' | 'static'
  dockerfile?: string | undefined
  port?: number | undefined
  installCommand?: string | undefined
  buildCommand?: string | undefined
  startCommand?: string | undefined
  outputDirectory?: string | undefined
  /** Names of the secrets that the commands of a generated Dockerfile see. */
  secrets: string[]
}

export async function planBuild(tree: SourceTree, wish: Wish): Promise<BuildPlan> {
  const has = (path: string) => tree.entries.some((entry) => entry.path === path)
  const dockerfile = wish.dockerfile ?? 'Dockerfile'
  if (
    wish.strategy === 'dockerfile' ||
    wish.dockerfile !== undefined ||
    (wish.strategy === 'auto' && has(dockerfile))
  ) {
    if (!has(dockerfile)) throw nothingToBuild(`There is no ${dockerfile} in the source.`)
    return {
      strategy: 'dockerfile',
      dockerfile: { inContext: dockerfile },
      port: wish.port ?? 8080,
      because: [`the source has ${dockerfile}`],
    }
  }
  if (wish.strategy === 'auto' && has('package.json')) return planNode(tree, wish, has)
  const root = wish.outputDirectory ?? '.'
  const index = root === '.' ? 'index.html' : `${root}/index.html`
  if (!has(index)) throw nothingToBuild('There is no Dockerfile, package.json or index.html at the root of the source.')
  return {
    strategy: 'static',
    dockerfile: { text: staticDockerfile(root) },
    port: 8080,
    because: [`the source has ${index}`],
  }
}

type Package = { scripts?: Record<string, string>; main?: string }

async function planNode(tree: SourceTree, wish: Wish, has: (path: string) => boolean): Promise<BuildPlan> {
  const manifest = await readJson<Package>(tree, 'package.json')
  const start = wish.startCommand ?? manifest.scripts?.start
  const main = manifest.main ?? ['server.js', 'index.js', 'app.js'].find(has)
  if (start === undefined && main === undefined) {
    throw nothingToBuild('package.json has no start script, and there is no server.js, index.js or app.js.')
  }
  const port = wish.port ?? 3000
  const text = nodeDockerfile({
    locked: has('package-lock.json'),
    install: wish.installCommand,
    build: wish.buildCommand ?? (manifest.scripts?.build === undefined ? undefined : 'npm run build'),
    start: wish.startCommand ?? (start === undefined ? undefined : 'npm start'),
    main,
    port,
    secrets: wish.secrets,
  })
  const because = [
    'the source has package.json',
    start === undefined ? `it starts ${main}` : `its start script is ${start}`,
  ]
  return { strategy: 'node', dockerfile: { text }, port, because }
}

const nothingToBuild = (message: string) =>
  new Refusal('nothing_to_build', message, {
    hint: 'Add a Dockerfile, a package.json with a start script, or an index.html, or deploy an image.',
  })
