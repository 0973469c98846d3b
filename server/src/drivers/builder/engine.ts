import { join } from 'node:path'
import { isFailure } from '../../errors.ts'
import { openSsh, type SshConnection } from '../ssh/connection.ts'
import type { SshFailure } from '../ssh/failure.ts'
import { addressOf, type SshTarget } from '../ssh/target.ts'
import { openTunnel } from '../ssh/tunnel.ts'
import { EngineRefusal } from './ask.ts'
import { type BuilderFailure, type BuildTarget, builderFailure } from './builder.ts'

export type ReachedEngine = {
  /** On this machine, whatever the target: programs that know only local sockets can use it. */
  socketPath: string
  /** Words for an error of a request to this engine. */
  explain(error: unknown): Promise<unknown>
  close(): void
}

const SSH_DEADLINE_MS = 10_000

/** A local engine as it is, a remote one through a socket in `folder`, which is closed with the build. */
export async function reachEngine(target: BuildTarget, folder: string, signal: AbortSignal): Promise<ReachedEngine> {
  if (target.kind === 'local') {
    const { socketPath } = target
    return { socketPath, explain: async (error) => explain(error, socketPath), close: () => {} }
  }
  const connection = await openSsh(target.ssh, { signal, deadlineMs: SSH_DEADLINE_MS })
  try {
    await hurry(connection)
    const socketPath = join(folder, 'engine.sock')
    const tunnel = await openTunnel(connection, target.socketPath, socketPath)
    const close = () => {
      tunnel.close()
      connection.close()
    }
    const explain = (error: unknown) =>
      isFailure<BuilderFailure>(error, 'builder') ? error : explainRemote(tunnel.failure() ?? error, target, connection)
    return { socketPath, close, explain: async (error) => explain(error) }
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

/** What is already a failure stays as it is. */
function explain(error: unknown, at: string): unknown {
  if (isFailure<BuilderFailure>(error, 'builder') || isFailure<SshFailure>(error, 'ssh')) return error
  if (error instanceof EngineRefusal) {
    return builderFailure('engine_failed', `The Docker Engine at ${at} refused: ${error.message}.`, error)
  }
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return builderFailure('engine_timeout', `The Docker Engine at ${at} does not answer.`, error)
  }
  switch (code) {
    case 'ENOENT':
      return builderFailure('engine_unreachable', `There is no Docker socket at ${at}.`, error)
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return builderFailure('engine_unreachable', `No Docker Engine listens at ${at}.`, error)
    case 'EACCES':
    case 'EPERM':
      return builderFailure('engine_denied', `Slipway may not use the Docker socket at ${at}.`, error)
    case 'ECONNRESET':
    case 'EPIPE':
      return builderFailure('engine_lost', `The Docker Engine at ${at} closed the connection.`, error)
    default:
      return error
  }
}

type Remote = { ssh: SshTarget; socketPath: string }

/** sshd does not say why it opens no channel; SFTP tells what stands at the path. */
async function explainRemote(error: unknown, { ssh, socketPath }: Remote, connection: SshConnection): Promise<unknown> {
  const at = `${socketPath} on ${addressOf(ssh)}`
  if (!isFailure(error, 'ssh', 'forward_refused')) return explain(error, at)
  switch (await connection.socketState(socketPath)) {
    case 'missing':
      return builderFailure('engine_unreachable', `There is no Docker socket at ${at}.`, error)
    case 'not_listening':
      return builderFailure('engine_unreachable', `No Docker Engine listens at ${at}.`, error)
    case 'denied':
      return builderFailure('engine_denied', `The user ${ssh.user} may not use the Docker socket at ${at}.`, error)
    default:
      return error
  }
}
