import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { inPieces } from './in-pieces.ts'
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
  const beside = `${file}.${process.pid}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(beside, 'w', 0o600)
    try {
      await handle.writeFile(inPieces(keptJson(at, contents)))
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  } catch {
    await rm(beside, { force: true }).catch(() => {})
  }
}

function* keptJson(at: number, contents: Content[]): Generator<string> {
  yield `{"at":${at},"files":{`
  for (const [n, { path, stamp, sha256 }] of contents.entries()) {
    yield `${n === 0 ? '' : ','}${JSON.stringify(path)}:["${stamp}","${sha256}"]`
  }
  yield '}}'
}

async function readKept(file: string): Promise<Kept> {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as Kept
    if (typeof kept.at === 'number' && typeof kept.files === 'object' && kept.files !== null) return kept
  } catch {}
  return { at: 0, files: {} }
}
