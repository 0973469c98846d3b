import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../argv.ts'
import { type Notes, readNotes } from '../backup/note.ts'
import { linkedName, readSettings, readText } from '../files.ts'
import { PATHS, USER } from '../paths.ts'

export type Installed = {
  /** The version that `current` leads to. */
  version: string | null
  /** Those whose files are here. */
  versions: string[]
  /** Those that run at this moment. */
  running: string[]
  settings: Record<string, string>
  /** They were written after one of those that run had started. */
  settingsAreNewer: boolean
  user: boolean
  /** PostgreSQL's own name for the cluster's major version; null: there is no cluster of ours. */
  cluster: { major: string; whole: boolean } | null
  passphrase: boolean
  /** What became of the last backup of the platform and of the last drill; null: nothing is known. */
  notes: Notes | 'unreadable' | null
  /** Packages that are here already: programs by which they are known. */
  programs: { git: boolean; clusters: boolean }
}

export async function lookForSlipway(): Promise<Installed> {
  const listed = await tried([
    'systemctl',
    'list-units',
    '--plain',
    '--no-legend',
    '--state=active',
    'slipway@*.service',
  ])
  const running = [...(listed ?? '').matchAll(/^slipway@(\S+)\.service/gm)].map(([, version = '']) => version)
  return {
    version: linkedName(PATHS.current),
    versions: foldersIn(PATHS.versions).filter((name) => !name.endsWith('.part')),
    running,
    settings: readSettings(PATHS.settings),
    settingsAreNewer: await areNewer(running),
    user: (await tried(['id', USER])) !== null,
    cluster: lookForCluster('/etc/postgresql'),
    passphrase: readText(PATHS.passphrase) !== null,
    notes: readNotes(),
    programs: { git: existsSync('/usr/bin/git'), clusters: existsSync('/usr/bin/pg_createcluster') },
  }
}

/** In whole seconds, as systemd tells when a unit became active. */
async function areNewer(running: string[]): Promise<boolean> {
  const written = statSync(PATHS.settings, { throwIfNoEntry: false })
  if (running.length === 0 || !written) return false
  const units = running.map((version) => `slipway@${version}.service`)
  const told = await tried(['systemctl', 'show', '--timestamp=unix', '--property=ActiveEnterTimestamp', ...units])
  const started = [...(told ?? '').matchAll(/^ActiveEnterTimestamp=@(\d+)$/gm)].map(([, seconds]) => Number(seconds))
  return started.some((seconds) => Math.floor(written.mtimeMs / 1000) > seconds)
}

/** The file with our settings is written when everything else of the cluster is there. */
export function lookForCluster(folder: string): Installed['cluster'] {
  const major = foldersIn(folder).find((version) => existsSync(join(folder, version, 'slipway')))
  if (major === undefined) return null
  return { major, whole: existsSync(join(folder, major, 'slipway/conf.d/slipway.conf')) }
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}
