import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
  'dashboard-weight': PAGES,
  readme: ['docs/tutorials', 'cli/src', 'bin', 'tools/dev.ts'],
}

export type Subject = {
  proof: string
  product: string
  /** Where the sources were; with `+` when some of the proof's or the product's were not as committed. */
  commit: string
}

/** What a proof says something about: its own files and the product, by their content. */
export function subjectOf(name: string): Subject {
  const own = ownFiles(`proofs/${name}.ts`)
  const besides = BESIDES[name] ?? []
  return { proof: digest(own), product: productDigest(besides), commit: commitOf([...own, ...PRODUCT, ...besides]) }
}

function commitOf(paths: string[]): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const commit = git('rev-parse', '--short=12', 'HEAD')
  return git('status', '--porcelain', '--', ...paths) === '' ? commit : `${commit}+`
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

/** Rooms whose files are a proof's own where it names them; the product's are in the other digest. */
const OWN = /^(proofs|lab|test-kit|server\/test|examples)\//

/** The proof's file, and whatever it and those name: by importing it, by starting it, by reading it. */
function ownFiles(first: string): string[] {
  const listed = new Set(listedHere())
  const found = new Set([first])
  for (const file of found)
    if (/\.(ts|mjs|cjs)$/.test(file))
      for (const named of namedIn(file, readFileSync(join(ROOT, file), 'utf8'), listed)) found.add(named)
  return [...found].sort()
}

const TEXT = /(?<=[(\s,:=[{])'([\w@./-]+)'/g
const FOLDER = /import\.meta\.dirname((?:,\s*'[^']*')+)/g

/**
 * Files that a text of the source leads to, from its folder or from the root, and those of folders that are joined to its place. In
 * doubt there is one too many: then a proof is stale that need not be.
 */
export function namedIn(file: string, source: string, listed: ReadonlySet<string>): string[] {
  const here = dirname(file)
  const texts = [...source.matchAll(TEXT)].map(([, text = '']) => text)
  const joined = [...source.matchAll(FOLDER)].map(([, rest = '']) => join(here, ...rest.split(/,\s*/).map(unquoted)))
  const files = [...texts.map((text) => join(here, text)), ...texts.filter((text) => text.includes('/')), ...joined]
  const folders = joined.filter((folder) => !isAbove(folder, file)).map((folder) => `${folder}/`)
  const inFolders = [...listed].filter((path) => folders.some((folder) => path.startsWith(folder)))
  return [...new Set([...files.filter((path) => listed.has(path)), ...inFolders])].filter(
    (path) => OWN.test(path) && !/^proofs\/(ledger|main\.ts)|\.md$/.test(path),
  )
}

const unquoted = (text: string) => text.replaceAll("'", '')
const isAbove = (folder: string, file: string) => folder === '.' || `${file}/`.startsWith(`${folder}/`)

let known: string[] | undefined
function listedHere(): string[] {
  known ??= execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }).split('\0')
  return known
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
