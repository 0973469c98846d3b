import type { Look } from '../look.ts'
import { majorOf, type NodePackage } from './manifest.ts'

export type Manager = {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun'
  /** As npm installs it; null: it comes with Node. */
  package: string | null
  lock: string | null
  /** Yarn from 2 on is another program. */
  berry: boolean
  because: string | null
  warnings: string[]
}

const LOCKS: [file: string, name: Manager['name']][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/** Who installs: `packageManager` says so itself, else the lock file does. `root` is where the lock file lies. */
export async function packageManager({ look, manifest }: NodePackage): Promise<Manager> {
  const said = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+[\w.-]*)/.exec(manifest.packageManager ?? '')
  const locks = LOCKS.filter(([file]) => look.has(file))
  const name = (said?.[1] as Manager['name'] | undefined) ?? locks[0]?.[1] ?? 'npm'
  const lock = locks.find(([, owner]) => owner === name)?.[0] ?? null
  const berry = name === 'yarn' && (await isBerry(look, said?.[2], lock))
  const warnings = warningsOf(name, lock, locks)
  const version = said?.[2] ?? (await versionOf(name, { look, lock, berry }))
  return { name, package: installable(name, version, berry), lock, berry, because: reason(said?.[0], lock), warnings }
}

function reason(said: string | undefined, lock: string | null): string | null {
  if (said !== undefined) return `packageManager is ${said}`
  return lock === null ? null : `the lock file is ${lock}`
}

function warningsOf(name: string, lock: string | null, locks: typeof LOCKS): string[] {
  const others = locks.map(([file]) => file).filter((file) => file !== lock)
  if (lock !== null && others.length > 0) return [`${others.join(' and ')} is not used: ${name} installs from ${lock}.`]
  if (lock === null && others.length > 0)
    return [`${name} has no lock file here, only ${others.join(' and ')} is there.`]
  if (lock === null) return [`Without a lock file for ${name}, each build may install other versions.`]
  return []
}

async function isBerry(look: Look, version: string | undefined, lock: string | null): Promise<boolean> {
  if (version !== undefined) return Number(majorOf(version)) >= 2
  return lock === null ? look.has('.yarnrc.yml') : /^__metadata:/m.test(await look.head(lock))
}

/** A version that can read the lock file. */
async function versionOf(
  name: Manager['name'],
  { look, lock, berry }: { look: Look; lock: string | null; berry: boolean },
): Promise<string> {
  if (name === 'yarn') return berry ? '4' : '1'
  if (name !== 'pnpm') return '1'
  const head = lock === null ? '' : await look.head(lock)
  const major = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(head)?.[1] ?? 9)
  if (major >= 9) return '10'
  return major >= 6 ? '8' : '7'
}

function installable(name: Manager['name'], version: string, berry: boolean): string | null {
  if (name === 'npm') return null
  if (name === 'yarn' && berry) return `@yarnpkg/cli-dist@${version}`
  return `${name}@${version}`
}

/** The one package of a workspace that is wanted: its name and folder, and whether the root has tools for it. */
export type Target = { name: string; folder: string; rootInstalls: boolean }

/** What installs from the lock file, and fails where it does not fit; only for one package where that can be told. */
export function installCommand({ name, lock, berry }: Manager, target: Target | null = null): string {
  if (name === 'npm') return `${lock === null ? 'npm install' : 'npm ci'}${npmOnly(target)}`
  if (lock === null) return `${name} install`
  if (name === 'pnpm') return `pnpm install --frozen-lockfile${pnpmOnly(target)}`
  return `${name} install ${berry ? '--immutable' : '--frozen-lockfile'}`
}

const npmOnly = (target: Target | null) => (target ? ` --workspace=${target.folder} --include-workspace-root` : '')

function pnpmOnly(target: Target | null): string {
  if (target === null || !/^[\w@./-]+$/.test(target.name)) return ''
  return ` --filter ${target.name}...${target.rootInstalls ? ' --filter .' : ''}`
}

/** Takes away what only the build needed; null where that cannot be done in place. */
export function pruneCommand({ name, package: installed, lock, berry }: Manager, target: Target | null): string | null {
  if (name === 'npm') return `npm prune --omit=dev --no-audit --no-fund${npmOnly(target)}`
  if (lock === null) return null
  if (name === 'pnpm') {
    return `CI=true pnpm install --prod --frozen-lockfile --ignore-scripts --prefer-offline --config.modules-cache-max-age=0${pnpmOnly(target)}`
  }
  if (name === 'bun') return 'rm -rf node_modules && bun install --production --frozen-lockfile --ignore-scripts'
  if (!berry) return 'yarn install --production --frozen-lockfile --ignore-scripts --prefer-offline'
  return Number(majorOf(installed?.split('@').at(-1) ?? '')) >= 4 ? 'yarn workspaces focus --all --production' : null
}

export const runScript = ({ name }: Manager, script: string): string =>
  name === 'yarn' ? `yarn run ${script}` : `${name} run ${script}`

/** A script of one package of a workspace. */
export function runScriptIn({ name }: Manager, script: string, folder: string): string {
  if (name === 'npm') return `npm run ${script} --workspace=${folder}`
  if (name === 'pnpm') return `pnpm --filter ./${folder} run ${script}`
  if (name === 'bun') return `bun run --cwd ${folder} ${script}`
  return `yarn --cwd ${folder} run ${script}`
}
