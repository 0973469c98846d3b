import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { run } from '../argv.ts'
import { databaseOf } from '../execute/cluster.ts'
import { readText } from '../files.ts'
import { PATHS, USER } from '../paths.ts'
import { writeArchive } from './archive.ts'

const DUMP_MS = 3_600_000

export type Manifest = { format: 1; slipway: string; at: string; sums: Record<string, string> }

/** Everything of the platform but what projects' volumes hold: database, keys, settings, uploads and archived logs. */
export async function makeBackup(file: string, { version, keep }: { version: string; keep: number }): Promise<string> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join('/var/tmp', 'slipway-backup-'))
  try {
    await run(['chown', USER, work])
    await dump(join(work, 'database'))
    copyFileSync(PATHS.settings, join(work, 'settings'))
    chmodSync(join(work, 'settings'), 0o600)
    const sums = { database: await sumOf(join(work, 'database')), settings: await sumOf(join(work, 'settings')) }
    const manifest: Manifest = { format: 1, slipway: version, at: new Date().toISOString(), sums }
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest), { mode: 0o600 })
    const { bytes } = await writeArchive(file, passphraseHere(), [
      { folder: work, names: ['manifest.json', 'settings', 'database'] },
      // Builds are made anew, and a socket is nobody's data.
      ...(existsSync(PATHS.data) ? [{ folder: PATHS.data, names: ['.'], below: 'data', without: ['./builds'] }] : []),
    ])
    removeOld(dirname(file), keep)
    return `${(bytes / 1e6).toFixed(1)} MB, read back`
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function dump(file: string): Promise<void> {
  const { url, env } = databaseOf()
  await run(['pg_dump', '--format=custom', '--compress=3', '--file', file, url], { as: USER, env, deadlineMs: DUMP_MS })
}

/** Of each kind in the folder the newest stay: those of every night, and those before an upgrade. */
function removeOld(folder: string, keep: number): void {
  const kindOf = (name: string) => (name.startsWith('before-') ? 'before' : 'nightly')
  const all = readdirSync(folder)
    .filter((name) => /^(before|nightly)-.*\.slipway$/.test(name))
    .toSorted((a, b) => statSync(join(folder, b)).mtimeMs - statSync(join(folder, a)).mtimeMs)
  for (const kind of ['before', 'nightly']) {
    const old = all.filter((name) => kindOf(name) === kind).slice(keep)
    for (const name of old) rmSync(join(folder, basename(name)), { force: true })
  }
}

export function passphraseHere(): string {
  const text = readText(PATHS.passphrase)?.trim()
  if (!text)
    throw new Error(
      `There is no passphrase in ${PATHS.passphrase}. Write one there, of 20 characters or more, and keep a copy elsewhere.`,
    )
  return text
}

export async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer)
  return hash.digest('hex')
}
