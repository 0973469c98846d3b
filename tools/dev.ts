import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { labPart } from '../lab/ask.ts'
import { openDoor } from './door.ts'

const root = join(import.meta.dirname, '..')
const home = join(root, '.slipway')
const DATABASE = 'slipway_dev'
const SERVER = join(root, 'server/src/main.ts')
const DASHBOARD = join(root, 'dashboard/dist')

/** bin/dev: the server from source on the lab's PostgreSQL. bin/slipway: the command with the same environment. */
const [mode, ...rest] = process.argv.slice(2)
/** Only what runs the server needs a database; `whoami` and its kind talk to any instance. */
const needsInstance = mode !== 'cli' || rest[0] === 'admin' || rest[0] === 'server'
const told = process.env.SLIPWAY_DATABASE_URL !== undefined
const env: NodeJS.ProcessEnv = {
  ...(needsInstance && !told && (await development())),
  SLIPWAY_SERVER: SERVER,
  ...(existsSync(DASHBOARD) && { SLIPWAY_DASHBOARD_DIR: DASHBOARD }),
  ...process.env,
}
const watch = ['--watch-path=server/src', '--watch-path=contract/src']
const argv = mode === 'cli' ? [join(root, 'cli/src/main.ts'), ...rest] : [...watch, SERVER, ...process.argv.slice(2)]
const child = spawn(process.execPath, argv, { ...(mode !== 'cli' && { cwd: root }), env, stdio: 'inherit' })
if (mode !== 'cli' && !told && !process.env.SLIPWAY_DOCKER_SOCKET) openDoorToEdge()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.once('exit', (code) => process.exit(code ?? 1))

/** A database and a secret key of this checkout's own, made on first use. */
async function development(): Promise<Record<string, string | undefined>> {
  const url = new URL(started('postgres').url)
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  const known = await admin.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (known.rowCount === 0) {
    await admin.query(`create database ${DATABASE}`)
    // The lab began anew: what lies here is of a database that is gone, and would be refused as another instance's.
    for (const name of ['instance.json', 'blobs', 'logs', 'contexts', 'repositories'])
      rmSync(join(home, name), { recursive: true, force: true })
  }
  await admin.end()
  url.pathname = `/${DATABASE}`
  return {
    SLIPWAY_DATABASE_URL: url.href,
    SLIPWAY_SECRET_KEY: secretKey(),
    SLIPWAY_DATA_DIR: home,
    ...(process.env.SLIPWAY_DOCKER_SOCKET ? {} : engine()),
  }
}

/** A part of the lab, started if it is not running yet. */
function started<Name extends 'postgres' | 'engine'>(name: Name) {
  try {
    return labPart(name)
  } catch {
    spawnSync(join(root, 'bin/lab'), ['up', name], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    return labPart(name)
  }
}

/** The lab's engine stands in for the machine's own, with its edge at a port of its own; without it the rest still runs. */
function engine(): Record<string, string> {
  try {
    const { socket, buildx } = mode === 'cli' ? labPart('engine') : started('engine')
    return { SLIPWAY_DOCKER_SOCKET: socket, SLIPWAY_BUILDX: buildx, SLIPWAY_EDGE_HTTP_PORT: String(edgePort()) }
  } catch (error) {
    if (mode !== 'cli') console.error(`${(error as Error).message} Until then nothing can be deployed to this machine.`)
    return {}
  }
}

/** Eighty after the server's own, so that two checkouts with ports of their own do not meet. */
function edgePort(): number {
  return Number(process.env.SLIPWAY_EDGE_HTTP_PORT || Number(process.env.SLIPWAY_PORT || 4600) + 80)
}

/** The lab's engine is a machine of its own; names below localhost lead to this one, so visits are passed on. */
function openDoorToEdge(): void {
  try {
    openDoor(edgePort(), labPart('engine').address)
  } catch (error) {
    console.error(`URLs of deployments do not open here: ${(error as Error).message}`)
  }
}

function secretKey(): string {
  const file = join(home, 'secret-key')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
