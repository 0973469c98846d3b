import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cacheDir, repository } from '../../lab/paths.ts'
import { type Mutation, mutated } from './mutation.ts'

const PACKAGES = ['contract', 'server', 'cli']

export type Copy = { dir: string; apply(mutation: Mutation): void; restore(mutation: Mutation): void }

/** The checkout as it is now, to be broken: files are copied, packages linked. It goes when this process ends. */
export function makeCopy(): Copy {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-mutations-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  for (const file of filesHere()) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    copyFileSync(join(repository, file), join(dir, file))
  }
  linkPackages(dir)
  mkdirSync(join(dir, '.lab'))
  symlinkSync(cacheDir, join(dir, '.lab', 'cache'))
  // A proof asks git which files there are.
  git(dir, 'init', '--quiet')
  git(dir, 'add', '--all')
  return {
    dir,
    apply(mutation) {
      const faulty = mutated(readFileSync(join(dir, mutation.file), 'utf8'), mutation)
      if (faulty === undefined) throw new Error(`${mutation.file} does not have the place of ${mutation.name} once.`)
      writeFileSync(join(dir, mutation.file), faulty)
    },
    restore: ({ file }) => copyFileSync(join(repository, file), join(dir, file)),
  }
}

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' })

const filesHere = (): string[] =>
  git(repository, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .split('\0')
    .filter((file) => file !== '' && statSync(join(repository, file), { throwIfNoEntry: false })?.isFile())

/** One by one, because links to packages of the workspace must lead to those of the copy. */
function linkPackages(dir: string): void {
  for (const at of ['', ...PACKAGES]) {
    const from = join(repository, at, 'node_modules')
    if (!existsSync(from)) continue
    mkdirSync(join(dir, at, 'node_modules', '@slipway'), { recursive: true })
    for (const name of readdirSync(from)) {
      const isCache = name.startsWith('.') && name !== '.bin'
      if (name !== '@slipway' && !isCache) symlinkSync(join(from, name), join(dir, at, 'node_modules', name))
    }
  }
  const scope = join(repository, 'node_modules', '@slipway')
  for (const name of readdirSync(scope))
    symlinkSync(readlinkSync(join(scope, name)), join(dir, 'node_modules', '@slipway', name))
}
