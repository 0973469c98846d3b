import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Content } from './walk.ts'

type Env = NodeJS.ProcessEnv
type Kept = { at: number; files: Record<string, [stamp: string, sha256: string]> }

/** What a file that changes twice within one tick of the disk's clock may hide; git's racy rule. */
const RACY_MS = 2000

const fileOf = (env: Env, root: string) =>
  join(
    env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'),
    'slipway',
    'checksums',
    createHash('sha256').update(root).digest('hex').slice(0, 32),
  )

/** The checksum of a file from the last time, unless anything that the disk says of it has changed since. */
export type Known = (file: Content) => string | undefined

export async function readCache(env: Env, root: string): Promise<Known> {
  const { at, files } = await readKept(fileOf(env, root))
  return ({ path, stamp, changedMs }) => {
    const known = Object.hasOwn(files, path) ? files[path] : undefined
    return known?.[0] === stamp && changedMs < at - RACY_MS ? known[1] : undefined
  }
}

/** `at` is when they began to be taken. Losing it costs time and nothing else. */
export async function writeCache(env: Env, root: string, at: number, contents: Content[]): Promise<void> {
  const file = fileOf(env, root)
  const files = Object.fromEntries(
    contents.map(({ path, stamp, sha256 }): [string, [string, string]] => [path, [stamp, sha256]]),
  )
  const beside = `${file}.${process.pid}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(beside, JSON.stringify({ at, files } satisfies Kept), { mode: 0o600 })
    await rename(beside, file)
  } catch {
    await rm(beside, { force: true }).catch(() => {})
  }
}

async function readKept(file: string): Promise<Kept> {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as Kept
    if (typeof kept.at === 'number' && typeof kept.files === 'object' && kept.files !== null) return kept
  } catch {}
  return { at: 0, files: {} }
}
