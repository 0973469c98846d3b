import type { Look } from '../look.ts'
import { matchesAny } from '../pattern.ts'
import { type NodePackage, openPackage } from './manifest.ts'

export type Member = NodePackage & { folder: string; name: string }

/** Packages that are installed together from one root, and who builds them in the right order. */
export type Workspace = {
  root: NodePackage
  members: Member[]
  runner: 'turbo' | 'nx' | null
  because: string
  warnings: string[]
}

const MOST_MEMBERS = 200
/** Folders that end up in commands; none that matters is called otherwise. */
const PLAIN_FOLDER = /^[\w.@+-]+(?:\/[\w.@+-]+)*$/

/** null where the root does not say that it has packages. */
export async function openWorkspace(look: Look): Promise<Workspace | null> {
  const root = await openPackage(look)
  if (root === null) return null
  const patterns = await patternsOf(root)
  const runner = runnerOf(root)
  if (patterns === null) return null
  const folders = look
    .files()
    .filter((path) => path.endsWith('/package.json') && !/(^|\/)node_modules\//.test(path))
    .map((path) => path.slice(0, -'/package.json'.length))
    .filter((folder) => matchesAny(patterns, folder))
  const plain = folders.filter((folder) => PLAIN_FOLDER.test(folder))
  const warnings = folders
    .filter((folder) => !PLAIN_FOLDER.test(folder))
    .map((folder) => `The package in ${JSON.stringify(folder)} is left out: its path has unusual characters.`)
  if (plain.length > MOST_MEMBERS)
    warnings.push(`Only the first ${MOST_MEMBERS} of ${plain.length} packages were read.`)
  const opened = await Promise.all(plain.slice(0, MOST_MEMBERS).map((folder) => memberAt(look, folder)))
  const members = opened.filter((member) => member !== null)
  return { root, members, runner, because: reason(look, runner), warnings }
}

async function memberAt(look: Look, folder: string): Promise<Member | null> {
  const opened = await openPackage(look.at(folder))
  return opened && { ...opened, folder, name: opened.manifest.name ?? folder }
}

async function patternsOf({ look, manifest }: NodePackage): Promise<string[] | null> {
  const pnpm = await look.yaml<{ packages?: unknown }>('pnpm-workspace.yaml')
  const { workspaces } = manifest
  const patterns = pnpm?.packages ?? (Array.isArray(workspaces) ? workspaces : workspaces?.packages)
  return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string') : null
}

function runnerOf({ look, dependencies }: NodePackage): Workspace['runner'] {
  if (look.has('turbo.json') && dependencies.has('turbo')) return 'turbo'
  return look.has('nx.json') && dependencies.has('nx') ? 'nx' : null
}

function reason(look: Look, runner: Workspace['runner']): string {
  const where = look.has('pnpm-workspace.yaml') ? 'pnpm-workspace.yaml' : 'package.json'
  return `${where} names packages${runner === null ? '' : `, and ${runner}.json builds them in order`}`
}

/** What a member needs from its own workspace, dependencies before those who need them, itself last. */
export function closure(workspace: Workspace, member: Member): Member[] {
  const byName = new Map(workspace.members.map((one) => [one.name, one]))
  const ordered: Member[] = []
  const seen = new Set<Member>()
  const visit = (one: Member) => {
    if (seen.has(one)) return
    seen.add(one)
    for (const name of one.dependencies.keys()) {
      const needed = byName.get(name)
      if (needed) visit(needed)
    }
    ordered.push(one)
  }
  visit(member)
  return ordered
}
