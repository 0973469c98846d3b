import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { plainEnvironment } from './server-process.ts'
import { until } from './until.ts'

const root = resolve(import.meta.dirname, '..')

export type RunningServer = {
  url: string
  pid: number
  /** Milliseconds from spawn to a 200 of /readyz. */
  startMs: number
  child: ChildProcess
  /** Resident memory now and at its highest, in MB, as the kernel counts it. */
  rssMb(): number
  peakRssMb(): number
  stop(signal?: NodeJS.Signals): Promise<void>
}

type Options = {
  databaseUrl: string
  argv?: string[]
  /** What is undefined is left to the program's own default. */
  env?: Record<string, string | undefined>
  port?: number
  dataDir?: string
  key?: string
  /** A file that what it logs is added to. */
  logFile?: string
  /** The folder of a release, in place of what is built here. */
  release?: string
}

/** The program: as it is built here, or as it is in the release that a proof is pointed at. */
export function builtServer(release = process.env.SLIPWAY_PROVE_RELEASE): [node: string, main: string] {
  const [node, main] = release
    ? [resolve(root, release, 'bin/node'), resolve(root, release, 'server/main.mjs')]
    : [process.execPath, join(root, 'server/dist/main.js')]
  if (!existsSync(main)) throw new Error(`There is no ${main}. Run: npm run build (or bin/release)`)
  return [node, main]
}

/** The server that users run: the built one, with nothing of the development set-up in its environment. */
export async function startServer(options: Options): Promise<RunningServer> {
  const port = options.port ?? (await freePort())
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'slipway-proof-'))
  const [node, main] = builtServer(options.release)
  const started = performance.now()
  const log = options.logFile === undefined ? undefined : openSync(options.logFile, 'a')
  const child = spawn(node, [main, ...(options.argv ?? [])], {
    env: { ...environment(options, dataDir, port), ...options.env },
    stdio: ['ignore', log ?? 'ignore', 'pipe'],
  })
  if (log !== undefined) closeSync(log)
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
    if (options.logFile !== undefined) appendFileSync(options.logFile, chunk)
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  const url = `http://127.0.0.1:${port}`
  process.once('exit', () => child.kill('SIGKILL'))
  await ready(url, child, () => errors)
  const pid = child.pid ?? 0
  return {
    url,
    pid,
    child,
    startMs: performance.now() - started,
    rssMb: () => memory(pid, 'VmRSS'),
    peakRssMb: () => memory(pid, 'VmHWM'),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await exited
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const environment = (options: Options, dataDir: string, port: number) => ({
  ...plainEnvironment(),
  SLIPWAY_DATABASE_URL: options.databaseUrl,
  ...(options.key !== undefined && { SLIPWAY_SECRET_KEY: options.key }),
  SLIPWAY_DATA_DIR: dataDir,
  SLIPWAY_PORT: String(port),
  // Git hosts and storages of the proofs are programs on this machine.
  SLIPWAY_ALLOWED_NETWORKS: '127.0.0.0/8',
})

/** An owner's token, made the way an operator makes it. */
export async function bootstrap(
  databaseUrl: string,
  email = 'owner@example.com',
): Promise<{ token: string; orgId: string }> {
  const [node, main] = builtServer()
  const child = spawn(node, [main, 'admin', 'bootstrap', '--json', '--again', '--email', email], {
    env: environment({ databaseUrl }, tmpdir(), 0),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  for await (const chunk of child.stdout) out += chunk
  return JSON.parse(out)
}

async function ready(url: string, child: ChildProcess, errors: () => string): Promise<void> {
  const asked = until(
    'the server is ready',
    90_000,
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
      return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok
    },
    { everyMs: 10 },
  )
  await asked.catch((error: Error) => {
    throw new Error(`${error.message}: ${errors()}`)
  })
}

function memory(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** Processor time that a process has used so far, in all its threads. */
export function cpuSeconds(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9
}
