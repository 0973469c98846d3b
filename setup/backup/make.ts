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
import { dirname, join, relative } from 'node:path'
import { run } from '../argv.ts'
import { databaseOf } from '../execute/cluster.ts'
import { readSettings, readText } from '../files.ts'
import { PATHS, USER } from '../paths.ts'
import { writeArchive } from './archive.ts'

const DUMP_MS = 3_600_000

export type Manifest = { format: 1; slipway: string; at: string; sums: Record<string, string> }

/** With where it was sent to, and how it is called there. */
export type Made = { file: string; bytes: number; destination?: string; name?: string }

/** Everything of the platform but what projects' volumes hold: database, keys, settings, uploads and archived logs. */
export async function makeBackup(file: string, { version, keep }: { version: string; keep: number }): Promise<Made> {
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
      ...(existsSync(PATHS.data)
        ? [{ folder: PATHS.data, names: ['.'], below: 'data', without: leftOut(readSettings(PATHS.settings)) }]
        : []),
    ])
    removeOld(dirname(file), keep)
    return { file, bytes }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Builds are made anew; what was noted here is not true elsewhere; and a backup inside of the next one would double each night. */
export function leftOut({ BACKUP_SERVER_ROOT, BACKUP_LOCAL_ROOT }: Record<string, string>): string[] {
  const roots = [BACKUP_SERVER_ROOT || `${PATHS.data}/backups`, BACKUP_LOCAL_ROOT ?? ''].filter((path) =>
    path.startsWith(`${PATHS.data}/`),
  )
  return ['./builds', ...[PATHS.notes, ...roots].map((path) => `./${relative(PATHS.data, path)}`)]
}

async function dump(file: string): Promise<void> {
  const { url, env } = databaseOf()
  await run(['pg_dump', '--format=custom', '--compress=3', '--file', file, url], { as: USER, env, deadlineMs: DUMP_MS })
}

/** Of each kind in the folder the newest stay: those of every night, and those before an upgrade. */
function removeOld(folder: string, keep: number): void {
  for (const kind of ['before', 'nightly'] as const)
    for (const file of newestFirst(folder, kind).slice(keep)) rmSync(file, { force: true })
}

/** What a drill is made on, if nobody says. */
export function newestBackup(folder: string = PATHS.backups): string {
  const [newest] = existsSync(folder) ? newestFirst(folder, 'nightly') : []
  if (newest === undefined) throw new Error(`There is no backup in ${folder} yet. Make one: slipway setup backup`)
  return newest
}

const newestFirst = (folder: string, kind: 'before' | 'nightly'): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.slipway'))
    .map((name) => join(folder, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)

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
