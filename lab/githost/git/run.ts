import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Repository } from '../model.ts'

const execute = promisify(execFile)
export const ZERO = '0'.repeat(40)

/** Neither the machine's nor a person's settings of git count here. */
export const gitEnv = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
}
const options = { env: gitEnv, maxBuffer: 256e6 }

export async function git({ dir }: Repository, ...args: string[]): Promise<string> {
  return (await execute('git', ['-C', dir, ...args], options)).stdout
}

export async function gitBytes({ dir }: Repository, ...args: string[]): Promise<Buffer> {
  return (await execute('git', ['-C', dir, ...args], { ...options, encoding: 'buffer' })).stdout
}

const SETTINGS = `[http]
\treceivepack = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
[receive]
\tautogc = false
`

export async function initRepository({ dir, defaultBranch }: Repository): Promise<void> {
  await mkdir(dirname(dir), { recursive: true })
  await execute('git', ['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`, dir], options)
  const file = join(dir, 'config')
  await writeFile(file, (await readFile(file, 'utf8')) + SETTINGS)
}

export async function refsOf(repository: Repository, below = 'refs/'): Promise<Map<string, string>> {
  const text = await git(repository, 'for-each-ref', '--format=%(refname) %(objectname)', below).catch(() => '')
  const lines = text.split('\n').filter(Boolean)
  return new Map(lines.map((line) => line.split(' ') as [string, string]))
}

/** Where a branch stands, read from its file: this is asked for by the thousand. */
export async function readHead({ dir }: Repository, ref: string): Promise<string | undefined> {
  if (!/^refs\/heads\/[^\0\s]+$/.test(ref) || ref.includes('..')) return undefined
  const loose = await readFile(join(dir, ref), 'utf8').catch(() => '')
  if (loose) return loose.trim()
  const packed = await readFile(join(dir, 'packed-refs'), 'utf8').catch(() => '')
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`))
  return line?.slice(0, 40)
}

/** A commit id for a branch, a tag or an id; undefined where there is none. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | undefined> {
  if (!/^[^\0-\x20~^:?*[\\]+$/.test(name) || name.startsWith('-') || name.includes('..')) return undefined
  for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`, name]) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
    const found = await git(repository, ...args).catch(() => '')
    if (found) return found.trim()
  }
  return undefined
}
