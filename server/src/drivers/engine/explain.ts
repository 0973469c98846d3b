import { isFailure } from '../../errors.ts'
import type { SshConnection } from '../ssh/connection.ts'
import type { SshFailure } from '../ssh/failure.ts'
import { addressOf, type SshTarget } from '../ssh/target.ts'
import { type EngineFailure, engineFailure } from './engine.ts'

/** Words for an error of the engine on this machine; what is already a failure stays as it is. */
export function explainLocal(error: unknown, socketPath: string): unknown {
  if (isFailure<EngineFailure>(error, 'engine')) return error
  const { code } = error as { code?: string }
  if (code === 'ENOENT') {
    return engineFailure('engine_unreachable', `There is no Docker socket at ${socketPath}.`, error)
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') {
    return engineFailure('engine_unreachable', `No Docker Engine listens at ${socketPath}.`, error)
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return engineFailure('engine_denied', `Slipway may not use the Docker socket at ${socketPath}.`, error)
  }
  return explainAnswer(error, socketPath)
}

type Remote = { ssh: SshTarget; socketPath: string; connection: SshConnection }

/** The same over SSH, where a refused socket says nothing about its reason until asked over SFTP. */
export async function explainRemote(error: unknown, { ssh, socketPath, connection }: Remote): Promise<unknown> {
  if (isFailure<EngineFailure>(error, 'engine')) return error
  if (!isFailure<SshFailure>(error, 'ssh')) return explainAnswer(error, `${socketPath} on ${addressOf(ssh)}`)
  if (error.code !== 'forward_refused') return error
  const at = `${socketPath} on ${addressOf(ssh)}`
  switch (await connection.socketState(socketPath)) {
    case 'missing':
      return engineFailure('engine_unreachable', `There is no Docker socket at ${at}.`, error)
    case 'not_listening':
      return engineFailure('engine_unreachable', `No Docker Engine listens at ${at}.`, error)
    case 'denied':
      return engineFailure('engine_denied', `The user ${ssh.user} may not use the Docker socket at ${at}.`, error)
    default:
      return error
  }
}

function explainAnswer(error: unknown, at: string): unknown {
  const { name, cause, code, statusCode } = error as Error & { code?: string | number; statusCode?: number }
  // Of a part of the work that has a deadline of its own.
  if ([name, (cause as Error | undefined)?.name].includes('TimeoutError')) {
    return engineFailure('engine_timeout', `The Docker Engine at ${at} did not answer in time.`, error)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return engineFailure('engine_unreachable', `The Docker Engine at ${at} closed the connection.`, error)
  }
  if (statusCode !== undefined || String(code).startsWith('HPE_')) {
    return engineFailure('engine_failed', `What answers at ${at} failed: ${(error as Error).message.trim()}.`, error)
  }
  return error
}
