import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../argv.ts'
import { databaseOf } from '../execute/cluster.ts'
import { ownData } from '../execute/user.ts'
import { readSettings, settingsText, writeWhole } from '../files.ts'
import { PATHS, USER } from '../paths.ts'
import { readArchive } from './archive.ts'
import { type Manifest, sumOf } from './make.ts'

const RESTORE_MS = 3_600_000
/** Of this machine, and not of the one that the backup is from. */
const OF_THE_MACHINE = [
  'SLIPWAY_DATABASE_URL',
  'SLIPWAY_DATA_DIR',
  'SLIPWAY_EDGE_HTTP_PORT',
  'SLIPWAY_EDGE_HTTPS_PORT',
  'SLIPWAY_EDGE_PUBLIC_HTTP_PORT',
  'SLIPWAY_EDGE_PUBLIC_HTTPS_PORT',
  'SLIPWAY_PLATFORM_SOCKET',
  'SLIPWAY_BUILDX',
  'SLIPWAY_DOCKER_SOCKET',
  'SLIPWAY_PUBLIC_ADDRESSES',
]

/** Opens the backup in a folder of its own; nothing of this installation has changed until then. */
export async function openBackup(
  file: string,
  passphrase: string,
): Promise<{ folder: string; manifest: Manifest; remove(): void }> {
  const folder = mkdtempSync(join('/var/tmp', 'slipway-restore-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await readArchive(file, passphrase, folder)
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    for (const [name, sum] of Object.entries(manifest.sums))
      if ((await sumOf(join(folder, name))) !== sum) throw new Error(`${name} in ${file} is not what was backed up.`)
    return { folder, manifest, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Fills a database of that name, made anew, and answers with how it is reached. */
export async function restoreInto(name: string, folder: string): Promise<string> {
  const { url, port } = databaseOf()
  if (port === null)
    throw new Error('The database is not the one that setup made: restore its dump by hand, with pg_restore.')
  await run(['dropdb', '--port', port, '--force', '--if-exists', name], { as: 'postgres' })
  await run(['createdb', '--port', port, '--owner', USER, name], { as: 'postgres' })
  await run(['chown', USER, folder, join(folder, 'database')])
  const into = url.replace(/\/[^/]*$/, `/${name}`)
  const argv = ['pg_restore', '--no-owner', '--exit-on-error', '--dbname', into, join(folder, 'database')] as const
  await run(argv, { as: USER, deadlineMs: RESTORE_MS })
  return into
}

/** Beside the one that is there, which is exchanged for it only when it is whole. */
export async function bringDatabase(folder: string, { stop }: { stop(): Promise<void> }): Promise<void> {
  const [name, beside, before] = [USER, `${USER}_restored`, `${USER}_before_restore`]
  await restoreInto(beside, folder)
  await stop()
  const port = databaseOf().port ?? ''
  const ask = ['psql', '--port', port, '--dbname', 'postgres', '--quiet', '--set=ON_ERROR_STOP=1', '--command'] as const
  await run(['dropdb', '--port', port, '--force', '--if-exists', before], { as: 'postgres' })
  await run([...ask, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`], {
    as: 'postgres',
  })
  // In one go: there is never none of that name.
  const exchange = `alter database ${name} rename to ${before}; alter database ${beside} rename to ${name}`
  await run([...ask, exchange], { as: 'postgres' })
}

/** Keys and settings come along, but for those that describe the machine. */
export async function bringData(folder: string): Promise<void> {
  const [here, there] = [readSettings(PATHS.settings), readSettings(join(folder, 'settings'))]
  const own = Object.fromEntries(
    OF_THE_MACHINE.flatMap((name) => (here[name] === undefined ? [] : [[name, here[name]]])),
  )
  writeWhole(PATHS.settings, settingsText({ ...there, ...own }), 0o600)
  if (existsSync(join(folder, 'data'))) cpSync(join(folder, 'data'), PATHS.data, { recursive: true, force: true })
  await ownData()
  await run(['chown', '--recursive', `${USER}:`, PATHS.data])
}
