import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { until } from './until.ts'

/** What an operator is told to make. */
export const SECRET_KEY = randomBytes(32).toString('hex')

/** Of every server that is started for a test or a proof: nothing of the development set-up, no CA, no limits in the way. */
export const plainEnvironment = () => ({
  PATH: process.env.PATH ?? '',
  SLIPWAY_SECRET_KEY: SECRET_KEY,
  SLIPWAY_ACME_DIRECTORY: 'off',
  SLIPWAY_RATE_PER_ADDRESS: '100000000',
  SLIPWAY_RATE_PER_TOKEN: '100000000',
  SLIPWAY_STREAMS_PER_TOKEN: '100000000',
  SLIPWAY_RATE_PER_LINK: '100000000',
  SLIPWAY_STREAMS_PER_LINK: '100000000',
})

const root = resolve(import.meta.dirname, '..')

type Ended = { code: number | null; signal: NodeJS.Signals | null }
export type ServerProcess = {
  pid: number
  /** Known once it listens. */
  url(): Promise<string>
  /** Waits for /readyz to say yes. */
  ready(): Promise<string>
  signal(name: NodeJS.Signals): void
  ended: Promise<Ended>
  running(): boolean
  /** What it wrote: log lines and complaints. */
  said(): string
  /** Ends it however it is, and clears up behind it. */
  end(): Promise<void>
}

/** From the release that the tests are pointed at, which starts in a third of the time; else, and of another build, from source. */
function programOf(build: string): [string, ...string[]] {
  const release = process.env.SLIPWAY_TEST_RELEASE
  return release && build === root
    ? [resolve(root, release, 'bin/node'), resolve(root, release, 'server/main.mjs')]
    : [process.execPath, '--conditions=slipway-source', join(build, 'server/src/main.ts')]
}

/** A real server in a process of its own, on a port that the machine chooses. */
export function startProcess(env: Record<string, string>, argv: string[] = [], build = root): ServerProcess {
  const own = env.SLIPWAY_DATA_DIR === undefined ? mkdtempSync(join(tmpdir(), 'slipway-boot-')) : undefined
  const [node, ...program] = programOf(build)
  const compiled = process.env.NODE_COMPILE_CACHE
  const child = spawn(node, [...program, ...argv], {
    env: {
      ...plainEnvironment(),
      ...(compiled && { NODE_COMPILE_CACHE: compiled }),
      ...(own !== undefined && { SLIPWAY_DATA_DIR: own }),
      SLIPWAY_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }))
  const running = () => child.exitCode === null && child.signalCode === null
  const waitFor = <T>(what: string, check: () => T | undefined | Promise<T | undefined>) =>
    until(what, 180_000, () => {
      if (!running()) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}: ${said}`)
      return check()
    })
  const url = () =>
    waitFor('the server listens', () => {
      const port = /"port":(\d+).*slipway is listening/.exec(said)?.[1]
      return port === undefined ? undefined : `http://127.0.0.1:${port}`
    })
  return {
    pid: child.pid ?? 0,
    url,
    async ready() {
      const at = await url()
      await waitFor('the server is ready', async () => ((await fetch(`${at}/readyz`)).ok ? true : undefined))
      return at
    },
    signal: (name) => void child.kill(name),
    ended,
    running,
    said: () => said,
    async end() {
      if (running()) child.kill('SIGKILL')
      await ended
      if (own !== undefined) rmSync(own, { recursive: true, force: true })
    },
  }
}
