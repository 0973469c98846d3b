import { Agent } from 'node:http'
import { acceptVersion, negotiate } from '../../engine/connect.ts'
import { type EngineTarget, engineFailure } from '../../engine/engine.ts'
import { explainLocal, explainRemote } from '../../engine/explain.ts'
import { type HostReader, localHost } from '../../engine/host.ts'
import { SshAgent } from '../../ssh/agent.ts'
import { openSsh } from '../../ssh/connection.ts'
import { type FileReader, sftpFiles } from '../../ssh/file-reader.ts'
import { addressOf } from '../../ssh/target.ts'
import type { InstanceMark } from '../owner.ts'
import { AnswerTooLarge, type GetJson, jsonGetter } from './get-json.ts'
import { localFiles } from './local-files.ts'
import { listening, programAt } from './port-holders.ts'
import { questions } from './questions.ts'
import type { ServerReader, ServerReading } from './server-reader.ts'

const CONNECT_MS = 15_000

/** Looks at servers over their engine's socket and, where they are far, over SSH. */
export const serverReading = (us: InstanceMark): ServerReading => ({
  async open(target, { signal }) {
    const route = target.kind === 'local' ? localRoute(target.socketPath, signal) : await sshRoute(target, signal)
    const cost = { requests: 0, bytes: 0 }
    const way = { agent: route.agent, at: route.at, signal, cost, ...route.socket }
    try {
      const first = jsonGetter({ ...way, prefix: '' })
      const hurry = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
      const version = acceptVersion(await first('/version', { signal: hurry }), target.socketPath)
      const get = jsonGetter({ ...way, prefix: `/v${negotiate(version)}` })
      const files = await route.openFiles(get)
      const { procFile } = route
      return {
        ...route,
        cost,
        files,
        listening: () => listening(procFile),
        programAt: async (port) => (files === null ? null : programAt(procFile, files, port)),
        ...questions(get, us, signal),
      }
    } catch (error) {
      const explained = signal.aborted ? signal.reason : await route.explain(late(error, route.at))
      route.close()
      throw explained
    }
  },
})

function late(error: unknown, at: string): unknown {
  const { name, cause } = error as Error
  if (![name, (cause as Error | undefined)?.name].includes('TimeoutError')) return error
  return engineFailure('engine_timeout', `The Docker Engine at ${at} did not answer within ${CONNECT_MS / 1000} s.`)
}

type Route = Pick<ServerReader, 'at' | 'explain' | 'close' | 'procFile'> & {
  agent: Agent
  socket: { socketPath?: string }
  openFiles(get: GetJson): Promise<FileReader | null>
}

function localRoute(socketPath: string, signal: AbortSignal): Route {
  const agent = new Agent({ keepAlive: true })
  return {
    agent,
    socket: { socketPath },
    at: socketPath,
    explain: async (error) => explainLocal(tooLarge(error, socketPath), socketPath),
    close: () => agent.destroy(),
    procFile: readProc(localHost),
    // In a container these would be our own, and not the server's.
    openFiles: async (get) => ((await runsInContainer(get)) ? null : localFiles(signal)),
  }
}

/** A container's host name is the beginning of its id. */
async function runsInContainer(get: GetJson): Promise<boolean> {
  const { hostname } = await import('node:os')
  return get(`/containers/${encodeURIComponent(hostname())}/json`).then(
    () => true,
    () => false,
  )
}

async function sshRoute(target: EngineTarget & { kind: 'ssh' }, signal: AbortSignal): Promise<Route> {
  const { ssh, socketPath } = target
  const connection = await openSsh(ssh, { signal, deadlineMs: CONNECT_MS })
  const agent = new SshAgent(connection, socketPath)
  const at = `${socketPath} on ${addressOf(ssh)}`
  return {
    agent,
    socket: {},
    at,
    explain: (error) => explainRemote(tooLarge(error, at), { ssh, socketPath, connection }),
    close: () => {
      agent.destroy()
      connection.close()
    },
    procFile: readProc(connection),
    openFiles: () =>
      connection.openSftp().then(
        (sftp) => sftpFiles(sftp, AbortSignal.any([signal, connection.ended])),
        (error) => {
          if (connection.ended.aborted) throw error
          return null
        },
      ),
  }
}

const tooLarge = (error: unknown, at: string) =>
  error instanceof AnswerTooLarge
    ? engineFailure('engine_failed', `The Docker Engine at ${at} answers with more than can be read.`, error)
    : error

const readProc = (host: HostReader) => (path: string, mostBytes: number) =>
  host.readFile(path, mostBytes).then(
    (content) => content.toString('utf8'),
    () => null,
  )
