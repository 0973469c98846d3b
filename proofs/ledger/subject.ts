import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')
/** The product, as far as a proof can meet it, beside the packages that it is made with. */
export const PRODUCT = ['contract/src', 'server/src']
const INSTALLING = ['setup', 'install', 'tools/release']
const PAGES = ['dashboard/src', 'dashboard/public']
/** What else some proofs are about: those that begin where there is no platform yet, the command line, and what is read. */
const BESIDES: Readonly<Record<string, string[]>> = {
  install: INSTALLING,
  upgrade: INSTALLING,
  move: INSTALLING,
  uninstall: INSTALLING,
  cli: ['cli/src', 'tools/release'],
  dashboard: PAGES,
  'dashboard-drop': PAGES,
  'dashboard-logs': PAGES,
  readme: ['docs/tutorials', 'cli/src', 'bin', 'tools/dev.ts'],
}
const IMPORT = /(?:from|import)\s*\(?['"](\.[^'"]+\.ts)['"]/g

export type Subject = { proof: string; product: string }

/** What a proof says something about: its own files and the product, by their content. */
export function subjectOf(name: string): Subject {
  return { proof: digest(ownFiles(`proofs/${name}.ts`)), product: productDigest(BESIDES[name] ?? []) }
}

const read = new Map<string, string>()
/** Read once: it is the same for most of them. */
function productDigest(besides: string[]): string {
  const key = besides.join()
  const known = read.get(key) ?? digest(listed([...PRODUCT, ...besides]), packages())
  read.set(key, known)
  return known
}

const listed = (paths: string[]) =>
  execFileSync('git', ['ls-files', '-z', ...paths], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file && !file.endsWith('.test.ts'))

/** Those that are installed with the product; what it is developed with, or only the command line or the dashboard has, is no part of it. */
function packages(): string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const others = [packages.cli, packages.dashboard]
    .flatMap((one) => Object.keys(one?.dependencies ?? {}))
    .filter((name) => !packages.server?.dependencies?.[name])
  const isOurs = ([path, { dev }]: [string, Locked]) =>
    path.startsWith('node_modules/') && !dev && !others.includes(path.slice('node_modules/'.length))
  const kept = Object.entries(packages).filter(isOurs)
  return JSON.stringify(kept.map(([path, { version, integrity }]) => [path, version, integrity]))
}

type Lock = { packages: Record<string, Locked> }
type Locked = { version?: string; integrity?: string; dev?: boolean; dependencies?: Record<string, string> }

/** The proof's file and what it imports of `proofs/`, `test-kit/` and `lab/`. */
function ownFiles(first: string): string[] {
  const found = new Set([first])
  for (const file of found) {
    for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const imported = relative(ROOT, join(ROOT, dirname(file), path))
      if (/^(proofs|lab|test-kit)\//.test(imported) && !imported.startsWith('proofs/ledger/')) found.add(imported)
    }
  }
  return [...found].sort()
}

function digest(files: string[], rest = ''): string {
  const hash = createHash('sha256').update(rest)
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}
