import { appendFileSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { daemonCalled, daemons, endGroup, signal, startIn } from '../group.ts'
import { labId, partDir } from '../paths.ts'
import { type Argv, lastLines, run } from '../run.ts'
import { type PostgresPart, readLab, record } from '../state.ts'
import { tool, toolEnv } from '../tools.ts'
import { needPackages } from './packages.ts'

const dir = partDir('postgres')
const data = join(dir, 'data')
const log = join(dir, 'log')
const nobody = 65534

export async function upPostgres(): Promise<string> {
  await needPackages('database')
  const running = readLab().postgres
  if (running && postgresRuns()) return running.url
  await endGroup('postgres')
  rmSync(dir, { recursive: true, force: true })
  const port = await freePort()
  await makeCluster(port)
  const part = { url: `postgres://postgres@127.0.0.1:${port}/postgres`, host: '127.0.0.1', port, log }
  await start(part)
  record({ postgres: part })
  return part.url
}

/** The same data on the same port; clients see their connections end, as in a real restart. */
export async function restartPostgres(): Promise<string> {
  const part = readLab().postgres
  if (!part) throw new Error('postgres was not started: run bin/lab up postgres')
  const pid = daemonCalled('postgres', 'postgres')
  if (pid) signal(pid, 'SIGINT')
  await until('postgres: waiting for its end', 30_000, () => (daemons('postgres').length === 0 ? true : undefined))
  await start(part)
  return part.url
}

export function postgresRuns(): boolean {
  return daemonCalled('postgres', 'postgres') !== undefined
}

async function makeCluster(port: number): Promise<void> {
  mkdirSync(data, { recursive: true })
  chownSync(data, nobody, nobody)
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  await run(asNobody(tool('initdb'), `--pgdata=${data}`, ...options), { env: toolEnv(), cwd: '/' })
  const settings = {
    port,
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    max_connections: 300,
    // Nothing here outlives the lab, so nothing has to survive a power cut.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    // Files in the data folder instead of /dev/shm: gone with it, even after kill -9.
    dynamic_shared_memory_type: 'mmap',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

async function start(part: PostgresPart): Promise<void> {
  // Its own IPC namespace: a killed server leaves no System V shared memory behind.
  const argv: Argv = ['unshare', '--ipc', '--', ...asNobody(tool('postgres'), '-D', data)]
  startIn('postgres', argv, { log, env: toolEnv() })
  const ask: Argv = [tool('pg_isready'), '--quiet', `--host=${part.host}`, `--port=${part.port}`]
  const ready = () =>
    run(ask, { env: toolEnv() }).then(
      () => true,
      () => undefined,
    )
  await until('postgres: waiting for it to accept connections', 30_000, ready).catch((error: Error) => {
    const said = existsSync(log) ? lastLines(readFileSync(log, 'utf8'), 12) : '    (no log)'
    throw new Error(`${error.message}\n${said}\n  Its log is ${log}.`)
  })
}

/** PostgreSQL refuses to run as root. Who it runs as may pass folders that are closed to others: checkouts lie in such. */
function asNobody(...argv: Argv): Argv {
  const who = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--securebits=+no_setuid_fixup']
  return ['setpriv', ...who, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search', '--', ...argv]
}

/** The same port for the same lab as long as nobody else has it. */
async function freePort(): Promise<number> {
  const first = 54_300 + (Number.parseInt(labId, 16) % 500)
  for (let port = first; port < first + 100; port += 1) if (await canListen(port)) return port
  throw new Error(`no free port between ${first} and ${first + 100} on 127.0.0.1`)
}

function canListen(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const server = createServer()
    server.once('error', () => settle(false))
    server.listen(port, '127.0.0.1', () => server.close(() => settle(true)))
  })
}
