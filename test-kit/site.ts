import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { labPart } from '../lab/ask.ts'
import { bootstrap, type RunningServer, startServer } from './built-server.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { deploying } from './deploying.ts'
import { cleared } from './engine.ts'
import type { Send } from './send-folder.ts'
import { visit } from './visit.ts'

// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
type Loose = any
export type Answer<T = Loose> = { status: number; body: T; text: string }

/** An instance that deploys to the lab's engine: one database and data directory, as many processes as are started. */
export type Site = Awaited<ReturnType<typeof openSite>>

type Options = {
  name: string
  /** Added to the environment of each process. */
  env?: Record<string, string>
  /** Of a PostgreSQL of the proof's own. */
  databaseUrl?: string
  /** A file that what all of its processes log is added to. */
  logFile?: string
  /** Tells the ports of several sites of one proof apart. */
  slot?: number
  /** Instead of the lab's, for what must not be done to that one. */
  engine?: ReturnType<typeof labPart<'engine'>>
  /** Hears every answer, whoever asked. */
  onAnswer?: (path: string, text: string) => void
}

/** `port`: where the one before it was found. */
type Starting = { role?: 'api' | 'worker' | 'all'; env?: Record<string, string>; port?: number }

/** The port of a line to one of the lab's machines, when a proof is to hold over SSH. */
const line = process.env.SLIPWAY_PROVE_OVER_SSH
const given = () => (line === undefined ? labPart('engine') : labPart('host1'))

export async function openSite({
  name,
  env = {},
  databaseUrl,
  logFile,
  slot = 0,
  engine = given(),
  onAnswer,
}: Options) {
  const httpPort = 41_000 + ((process.pid + slot * 1777) % 9000)
  const instance = `${name}-${process.pid}`
  const dataDir = mkdtempSync(join(tmpdir(), `sw-${name.slice(0, 8)}-`))
  const database: TestDatabase | undefined =
    databaseUrl === undefined ? await createDatabase({ migrated: true }) : undefined
  const url = databaseUrl ?? database?.url ?? ''
  const { token, orgId } = await bootstrap(url)
  const replicas: RunningServer[] = []
  const sockets = new Set([engine.socket])
  const settings = {
    SLIPWAY_DOCKER_SOCKET: engine.socket,
    SLIPWAY_BUILDX: engine.buildx,
    SLIPWAY_INSTANCE: instance,
    SLIPWAY_BASE_DOMAIN: `${name}.test`,
    SLIPWAY_EDGE_HTTP_PORT: String(httpPort),
    SLIPWAY_EDGE_HTTPS_PORT: String(httpPort + 10_000),
    ...env,
  }

  /** Another process of the instance. Requests go to the newest that lives. */
  const start = async (more: Starting = {}) => {
    const argv = more.role === undefined ? [] : ['--role', more.role]
    const replica = await startServer({
      databaseUrl: url,
      dataDir,
      argv,
      env: { ...settings, ...more.env },
      ...(more.port !== undefined && { port: more.port }),
      ...(logFile !== undefined && { logFile }),
    })
    replicas.push(replica)
    return replica
  }
  const base = () => {
    const living = replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null)
    const chosen = living.at(-1)
    if (!chosen) throw new Error('No process of the instance is running.')
    return chosen.url
  }
  const call = async <T = Loose>(method: string, path: string, body?: unknown, at = base()): Promise<Answer<T>> => {
    const answer = await fetch(`${at}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await answer.text()
    onAnswer?.(path, text)
    return { status: answer.status, text, body: (text.startsWith('{') ? JSON.parse(text) : null) as T }
  }
  /** As `call`, for what must succeed. */
  const ask = async <T = Loose>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const send: Send = async (method, path, type, body) => {
    const answer = await fetch(`${base()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await answer.text()
    onAnswer?.(path, text)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  /** One of the lab's machines that are reached over SSH, straight or by another way. */
  const addHost = async (which: 'host1' | 'host2', way?: { host: string; port: number }): Promise<string> => {
    const { address, port, user, keyFile, socket } = labPart(which)
    sockets.add(socket)
    const login = { host: address, port, ...way, user, privateKey: readFileSync(keyFile, 'utf8') }
    const made = await ask('POST', '/api/servers', { kind: 'ssh', name: which, ...login })
    return (await ask('POST', `/api/servers/${made.id}/check`)).server.id
  }
  return {
    instance,
    token,
    orgId,
    database,
    databaseUrl: url,
    dataDir,
    engine,
    httpPort,
    replicas,
    start,
    base,
    call,
    ask,
    ...deploying<Deployment>({ send, ask, seconds: 180, everyMs: 50, patient: true }),
    /** Where a name of this instance answers: connect to `address`, ask with this Host. */
    host: (project: string) => `${project}.${name}.test`,
    /** What a visitor of a project gets from the edge. */
    visit: (project: string, path = '/', address = engine.address) =>
      visit({ address, port: httpPort }, `${project}.${name}.test`, path),
    addHost,
    addressOf: (which: 'host1' | 'host2') => labPart(which).address,
    /** One over SSH that is not the first server. */
    otherHost: line === undefined ? ('host1' as const) : ('host2' as const),
    addLocalServer: async (): Promise<string> => {
      if (line !== undefined) return addHost('host1', { host: '127.0.0.1', port: Number(line) })
      return (await ask('POST', '/api/servers', { kind: 'local', name: 'here' })).id
    },
    /** Ends every process and takes away all that it made, here and on the engine. */
    async close() {
      for (const replica of replicas) await replica.stop('SIGKILL').catch(() => {})
      for (const socket of sockets) await cleared(socket, instance)
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
