import { existsSync, readdirSync, rmSync } from 'node:fs'
import { ended, run } from '../argv.ts'
import { readSettings, writeWhole } from '../files.ts'
import { lookForCluster } from '../look/slipway.ts'
import { PATHS, USER } from '../paths.ts'

const CLUSTER = 'slipway'
const ETC = '/etc/postgresql'
const SOCKETS = '/var/run/postgresql'
const DEADLINE_MS = 180_000

/** For a small machine that has more to do than this; nothing listens on a network, and no password exists. */
const SETTINGS = `# Written by slipway setup, when the rest of this cluster was there.
listen_addresses = ''
max_connections = 60
shared_buffers = 32MB
effective_cache_size = 256MB
max_wal_size = 256MB
huge_pages = off
jit = off
`

export async function makeCluster(anew: boolean): Promise<void> {
  const begun = lookForCluster(ETC)
  if (anew && begun && !begun.whole) await removeCluster()
  const major = lookForCluster(ETC)?.major ?? (await createCluster())
  await run(['systemctl', 'daemon-reload'])
  await run(['systemctl', 'enable', '--quiet', '--now', `postgresql@${major}-${CLUSTER}.service`], {
    deadlineMs: DEADLINE_MS,
  })
  const port = await portOf(major)
  if (!(await isTrue(port, `select true from pg_roles where rolname = '${USER}'`)))
    await run(['createuser', '--port', port, USER], { as: 'postgres' })
  if (!(await isTrue(port, `select true from pg_database where datname = '${USER}'`)))
    await run(['createdb', '--port', port, '--owner', USER, USER], { as: 'postgres' })
}

async function createCluster(): Promise<string> {
  const majors = readdirSync('/usr/lib/postgresql').filter((one) => existsSync(`/usr/lib/postgresql/${one}/bin/initdb`))
  const [major] = majors.sort((a, b) => Number(b) - Number(a))
  if (major === undefined) throw new Error('There is no PostgreSQL server below /usr/lib/postgresql.')
  const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--data-checksums']
  await run(['pg_createcluster', major, CLUSTER, '--start-conf', 'auto', '--', ...options], { deadlineMs: DEADLINE_MS })
  writeWhole(`${ETC}/${major}/${CLUSTER}/conf.d/slipway.conf`, SETTINGS, 0o644)
  return major
}

/** With what a cut-off creation leaves, and the folder that stays because of the file we added. */
export async function removeCluster(): Promise<void> {
  const found = lookForCluster(ETC)
  if (!found) return
  await run(['systemctl', 'disable', '--quiet', '--now', `postgresql@${found.major}-${CLUSTER}.service`]).catch(
    () => {},
  )
  await run(['pg_dropcluster', '--stop', found.major, CLUSTER]).catch(() => {})
  for (const folder of [ETC, '/var/lib/postgresql', '/etc/systemd/system/multi-user.target.wants'])
    rmSync(`${folder}/${found.major}/${CLUSTER}`, { recursive: true, force: true })
  rmSync(`/var/log/postgresql/postgresql-${found.major}-${CLUSTER}.log`, { force: true })
  // Another cluster of this version may be in it; an empty one is ours.
  for (const folder of [ETC, '/var/lib/postgresql']) await ended(['rmdir', `${folder}/${found.major}`])
  await run(['systemctl', 'daemon-reload'])
}

/** How the server reaches it: by the socket, as the user that it runs as. */
export async function clusterUrl(): Promise<string> {
  const found = lookForCluster(ETC)
  if (!found) throw new Error('There is no PostgreSQL cluster of Slipway.')
  return `postgres://${USER}@${encodeURIComponent(SOCKETS)}:${await portOf(found.major)}/${USER}`
}

/** Where the programs of PostgreSQL find the database: what they are told in place of a URL, and whom they run as. */
export function databaseOf(): { url: string; port: string | null; env: NodeJS.ProcessEnv } {
  const { url, env } = withoutPassword(readSettings(PATHS.settings).SLIPWAY_DATABASE_URL ?? '')
  const own = url.includes(encodeURIComponent(SOCKETS))
  return { url, port: own ? (/:(\d+)\//.exec(url)?.[1] ?? null) : null, env }
}

/** Whoever looks at the list of processes sees their arguments, and not their environment. */
export function withoutPassword(url: string): { url: string; env: NodeJS.ProcessEnv } {
  const [, before = '', password, after = ''] = /^(\w+:\/\/[^:@/]*):([^@/]*)(@.*)$/.exec(url) ?? []
  if (password === undefined) return { url, env: process.env }
  return { url: `${before}${after}`, env: { ...process.env, PGPASSWORD: decodeURIComponent(password) } }
}

const portOf = async (major: string) => (await run(['pg_conftool', '--short', major, CLUSTER, 'show', 'port'])).trim()

const isTrue = async (port: string, question: string) =>
  (
    await run(['psql', '--port', port, '--dbname', 'postgres', '--no-align', '--tuples-only', '--command', question], {
      as: 'postgres',
    })
  ).trim() === 't'
