import { Agent } from 'node:http'
import type Docker from 'dockerode'
import { SshAgent } from '../ssh/agent.ts'
import { openSsh } from '../ssh/connection.ts'
import { askEngine } from './ask.ts'
import { type EngineTarget, engineFailure } from './engine.ts'
import { explainLocal, explainRemote } from './explain.ts'
import type { VersionAnswer } from './facts.ts'
import { type HostReader, localHost } from './host.ts'
import { withoutRedirects } from './no-redirects.ts'

export type EngineConnection = {
  docker: Docker
  version: VersionAnswer
  hostKey: string | null
  host: HostReader
  /** Words for an error of a request on this connection. */
  explain(error: unknown): Promise<unknown>
  close(): void
}

/** Aborting `signal` ends the connection at any time; `deadlineMs` limits each step on SSH. */
type ConnectOptions = { signal: AbortSignal; deadlineMs: number; learnHostKey?: boolean }

/** dockerode on a target, speaking a version of the API that both sides know. */
export async function connectEngine(target: EngineTarget, options: ConnectOptions): Promise<EngineConnection> {
  const route = target.kind === 'local' ? localRoute(target.socketPath) : await sshRoute(target, options)
  try {
    const { default: Docker } = await import('dockerode')
    // All of it explicit, because dockerode takes from DOCKER_HOST what is left out.
    const way = { ...route.way, protocol: 'http' as const, agent: route.agent }
    const version = acceptVersion(await askEngine(new Docker(way), '/version', options.signal), target.socketPath)
    const docker = new Docker({ ...way, version: `v${negotiate(version)}` })
    return { ...route.connection, docker, version }
  } catch (error) {
    const explained = options.signal.aborted ? options.signal.reason : await route.connection.explain(error)
    route.connection.close()
    throw explained
  }
}

type Route = {
  way: { socketPath: string; host: '' } | { host: string; port: number }
  agent: Agent
  connection: Omit<EngineConnection, 'docker' | 'version'>
}

/** docker-modem inspects all options to any depth on each request; without this it walks every socket and who waits for one. */
class LocalAgent extends Agent {
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'LocalAgent'
  }
}

function localRoute(socketPath: string): Route {
  const agent = withoutRedirects(new LocalAgent({ keepAlive: true }))
  const explain = async (error: unknown) => explainLocal(error, socketPath)
  const connection = { hostKey: null, host: localHost, explain, close: () => agent.destroy() }
  return { way: { socketPath, host: '' }, agent, connection }
}

async function sshRoute({ ssh, socketPath }: EngineTarget & { kind: 'ssh' }, options: ConnectOptions): Promise<Route> {
  const host = await openSsh(ssh, options)
  const agent = withoutRedirects(new SshAgent(host, socketPath))
  const explain = (error: unknown) => explainRemote(error, { ssh, socketPath, connection: host })
  const close = () => {
    agent.destroy()
    host.close()
  }
  // The name is never looked up: the agent knows only one way.
  return { way: { host: 'engine', port: 80 }, agent, connection: { hostKey: host.hostKey, host, explain, close } }
}

/** The newest API this code was tested with, and the first with all it needs (Engine 20.10). */
const newest = '1.45'
const oldest = '1.41'

export function acceptVersion(answer: unknown, socketPath: string): VersionAnswer {
  const version = answer as Partial<VersionAnswer> | null
  if (typeof version?.Version !== 'string' || typeof version.ApiVersion !== 'string') {
    throw engineFailure('engine_failed', `What answers at ${socketPath} is not a Docker Engine.`)
  }
  if (compare(version.ApiVersion, oldest) < 0) {
    const message = `Docker Engine ${version.Version} (API ${version.ApiVersion}) is too old; 20.10 is the oldest supported.`
    throw engineFailure('engine_too_old', message)
  }
  return version as VersionAnswer
}

/** Ours, unless the engine is older or has dropped it. */
export function negotiate({ ApiVersion, MinAPIVersion = oldest }: VersionAnswer): string {
  if (compare(MinAPIVersion, newest) > 0) return MinAPIVersion
  return compare(ApiVersion, newest) < 0 ? ApiVersion : newest
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
