import { posix } from 'node:path'
import { isPlainPath } from '../dockerfile.ts'
import type { Shape } from './framework.ts'
import { type NodePackage, openPackage, texts } from './manifest.ts'
import { type NodeVersion, nodeVersion } from './node-version.ts'
import {
  installCommand,
  type Manager,
  packageManager,
  pruneCommand,
  runScript,
  runScriptIn,
  type Target,
} from './package-manager.ts'
import { closure, type Member, type Workspace } from './workspace.ts'

/** How a package lies in its source, and what happens to it on the way to an image. */
export type Layout = {
  /** Of the package in its workspace; '' where it is the root itself. */
  folder: string
  manager: Manager
  node: NodeVersion
  /** null: there is nothing to install. */
  install: string | null
  /** Copied before everything else, so that other changes install nothing anew; null: the installation needs it all. */
  manifests: string[] | null
  build: string | null
  prune: string | null
  /** Something is compiled while installing, or fetched with git. */
  compiles: boolean
  prisma: boolean
}

/** A package as a member of its workspace. */
export type Place = { workspace: Workspace; member: Member }

export async function layoutOf(pkg: NodePackage, place: Place | null, shape: Shape): Promise<Layout> {
  const root = place?.workspace.root ?? pkg
  const all = place ? [root, ...place.workspace.members] : [root, ...(await ownMembers(root))]
  const manager = await packageManager(root)
  const node = await nodeVersion(place ? [pkg, root] : [root])
  const names = new Set(all.flatMap((one) => [...one.dependencies.keys()]))
  const needed = place ? [root, ...closure(place.workspace, place.member)] : all
  const target = place && targetOf(place)
  const develops = needed.some(({ manifest }) => texts(manifest.devDependencies).length > 0)
  return {
    folder: place?.member.folder ?? '',
    manager,
    node,
    install: names.size > 0 || all.some(hasInstallScript) ? installCommand(manager, target) : null,
    manifests: manifestsOf(all, manager, names),
    build: buildOf(pkg, place, shape, manager),
    prune: develops && shape.kind === 'server' && !shape.only ? pruneCommand(manager, target) : null,
    compiles: all.some(compilesSomething),
    prisma: names.has('@prisma/client') || names.has('prisma'),
  }
}

const targetOf = ({ workspace: { root }, member }: Place): Target => ({
  name: member.name,
  folder: member.folder,
  rootInstalls: root.dependencies.size > 0,
})

/** A root that is deployed itself still installs the packages that it names. */
async function ownMembers(root: NodePackage): Promise<NodePackage[]> {
  if (root.manifest.workspaces === undefined && !root.look.has('pnpm-workspace.yaml')) return []
  const folders = root.look.files().filter((path) => path.endsWith('/package.json') && !path.includes('node_modules/'))
  const opened = folders.slice(0, 200).map((path) => openPackage(root.look.at(path.slice(0, -'/package.json'.length))))
  return (await Promise.all(opened)).filter((one) => one !== null)
}

function buildOf(pkg: NodePackage, place: Place | null, shape: Shape, manager: Manager): string | null {
  const script = pkg.scripts.has('build')
  if (place === null) return script ? runScript(manager, 'build') : shape.build
  const { workspace, member } = place
  if (script && workspace.runner === 'turbo') return `turbo run build --filter=./${member.folder}`
  if (script && workspace.runner === 'nx') return nxBuild(member) ?? chain(place, manager)
  const before = chain(place, manager)
  if (script || shape.build === null) return before
  const own = `cd ${member.folder} && ${shape.build}`
  return before === null ? own : `${before} && ${own}`
}

const nxBuild = ({ name }: Member) => (/^[\w.@/-]+$/.test(name) ? `nx run ${name}:build` : null)

/** What it depends on is built first; npm, Yarn and Bun have no command of their own for that. */
function chain({ workspace, member }: Place, manager: Manager): string | null {
  const built = closure(workspace, member).filter((one) => one.scripts.has('build'))
  const commands = built.map((one) => runScriptIn(manager, 'build', one.folder))
  return commands.length === 0 ? null : commands.join(' && ')
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']
const hasInstallScript = ({ scripts }: NodePackage) => INSTALL_SCRIPTS.some((name) => scripts.has(name))

const BESIDE = ['.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'bunfig.toml']
const FOLDERS = ['.yarn/releases', '.yarn/plugins', '.yarn/patches', 'patches']
const MOST_MANIFESTS = 40

function manifestsOf(all: NodePackage[], manager: Manager, names: ReadonlySet<string>): string[] | null {
  const [root] = all
  if (!root || all.length > MOST_MANIFESTS || all.some(hasInstallScript)) return null
  // These look at the source while they install, or are part of it.
  if (names.has('prisma') || names.has('@prisma/client')) return null
  if (all.some((one) => [...one.dependencies.values()].some((range) => /^(?:file|link|portal):/.test(range))))
    return null
  const { look } = root
  const beside = [...(manager.lock === null ? [] : [manager.lock]), ...BESIDE.filter((path) => look.has(path))]
  const folders = FOLDERS.filter((path) => look.hasFolder(path))
  const manifests = all.map((one) => posix.join(posix.relative(look.folder, one.look.folder), 'package.json'))
  const paths = [...manifests, ...beside, ...folders.map((folder) => `${folder}/`)]
  return paths.every(isPlainPath) ? paths : null
}

/** Known to be compiled where there is no binary for the platform. */
const COMPILED = [
  'node-gyp',
  'better-sqlite3',
  'sqlite3',
  'canvas',
  'bcrypt',
  'argon2',
  'node-pty',
  'usb',
  'serialport',
  're2',
]

const compilesSomething = ({ dependencies }: NodePackage) =>
  COMPILED.some((name) => dependencies.has(name)) ||
  [...dependencies.values()].some((range) => /^(?:git[+:]|github:|[\w-]+\/[\w.-]+(?:#|$))/.test(range))
