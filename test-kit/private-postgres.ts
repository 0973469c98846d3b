import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Argv, run } from '../lab/run.ts'
import { tool, toolEnv } from '../lab/tools.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const nobody = 65534

export type PrivatePostgres = {
  url: string
  port: number
  /** Accepts connections when this returns. */
  start(): Promise<void>
  /** SIGINT ends it in order, SIGQUIT at once, SIGKILL without a word. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  remove(): Promise<void>
}

/** A PostgreSQL that may be restarted without anybody else noticing, made of the lab's programs. */
export async function privatePostgres(surroundings: Surroundings = {}): Promise<PrivatePostgres> {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  const fill = (dir: string) =>
    run(asNobody(tool('initdb'), `--pgdata=${dir}`, ...options), { env: toolEnv(), cwd: '/' })
  return made(fill, surroundings)
}

/** Where its data lies, and what else is in the environment of its processes. */
type Surroundings = { below?: string; env?: Record<string, string> }

/** Follows the one at that port as soon as it is started, without anybody waiting for it. */
export async function replicaOf(port: number): Promise<PrivatePostgres> {
  const from = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres']
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', ...from]
  const copy = (dir: string): Argv => asNobody(tool('pg_basebackup'), `--pgdata=${dir}`, ...options)
  return made((dir) => run(copy(dir), { env: toolEnv(), cwd: '/' }))
}

async function made(
  fill: (dir: string) => Promise<unknown>,
  { below = tmpdir(), env = {} }: Surroundings = {},
): Promise<PrivatePostgres> {
  const dir = mkdtempSync(join(below, 'slipway-postgres-'))
  chmodSync(dir, 0o700)
  chownSync(dir, nobody, nobody)
  const port = await freePort()
  await fill(dir)
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'dynamic_shared_memory_type = mmap',
    'logging_collector = off',
  ]
  appendFileSync(join(dir, 'postgresql.conf'), `${settings.join('\n')}\n`)
  let postmaster: ChildProcess | undefined
  const stop: PrivatePostgres['stop'] = async (signal) => {
    if (!postmaster) return
    const ended = once(postmaster, 'exit')
    postmaster.kill(signal)
    await ended
    postmaster = undefined
    // A killed postmaster's processes end by themselves, a moment later.
    await until('the last process of postgres ends', 10_000, () => (processesIn(dir) === 0 ? true : undefined))
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    async start() {
      // Its own IPC namespace: what a killed server leaves in shared memory goes with it.
      const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      const own = asNobody('env', ...pairs, tool('postgres'), '-D', dir)
      const [program, ...args]: Argv = ['unshare', '--ipc', '--', ...own]
      postmaster = spawn(program, args, { cwd: '/', env: toolEnv(), stdio: 'ignore' })
      const ask: Argv = [tool('pg_isready'), '--quiet', '--host=127.0.0.1', `--port=${port}`]
      const answers = () => run(ask, { env: toolEnv() }).then(Boolean.bind(null, true), () => undefined)
      await until('postgres accepts connections', 30_000, answers)
    },
    stop,
    async remove() {
      await stop('SIGQUIT')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root; and it ends with whoever started it, however that ends. */
const asNobody = (...argv: Argv): Argv => [
  'setpriv',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
  '--pdeathsig=KILL',
  '--',
  ...argv,
]

function processesIn(dir: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && folderOf(name) === dir).length
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return '' // ended meanwhile
  }
}
