import { join } from 'node:path'
import { isFailure } from '../../errors.ts'
import { openSsh, type SshConnection } from '../ssh/connection.ts'
import { addressOf } from '../ssh/target.ts'
import { openTunnel } from '../ssh/tunnel.ts'
import type { EngineTarget } from './engine.ts'
import { explainLocal, explainRemote } from './explain.ts'

export type LocalSocket = {
  /** On this machine, whatever the target: programs that know only local sockets can use it. */
  socketPath: string
  /** Where the engine is, for people. */
  at: string
  /** What broke the way there, if anything did; else the error itself. */
  reasonOf(error: unknown): unknown
  /** Words for an error of a request to this engine. */
  explain(error: unknown): Promise<unknown>
  close(): void
}

const SSH_DEADLINE_MS = 10_000

/** A local engine's socket as it is, a remote one's forwarded to `folder` until it is closed. */
export async function openLocalSocket(target: EngineTarget, folder: string, signal: AbortSignal): Promise<LocalSocket> {
  if (target.kind === 'local') {
    const { socketPath } = target
    const explain = async (error: unknown) => explainLocal(error, socketPath)
    return { socketPath, at: socketPath, reasonOf: (error) => error, explain, close: () => {} }
  }
  const connection = await openSsh(target.ssh, { signal, deadlineMs: SSH_DEADLINE_MS })
  try {
    await hurry(connection)
    const socketPath = join(folder, 'engine.sock')
    const tunnel = await openTunnel(connection, target.socketPath, socketPath)
    const at = `${target.socketPath} on ${addressOf(target.ssh)}`
    const reasonOf = (error: unknown) => tunnel.failure() ?? error
    const explain = async (error: unknown) =>
      isFailure(error, 'ssh') ? explainRemote(error, { ...target, connection }) : explainLocal(error, at)
    const close = () => {
      tunnel.close()
      connection.close()
    }
    return { socketPath, at, reasonOf, explain, close }
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * sshd waits to fill its packets until a session has begun on the connection; small frames of a build then take 40 ms each.
 * SFTP is such a session. A server without it is slower and works.
 */
async function hurry(connection: SshConnection): Promise<void> {
  await connection.readFile('/proc/version', 1).catch(() => {})
}
