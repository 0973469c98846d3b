import { isFailure } from '../../../errors.ts'
import type { SshFailure, SshFailureCode } from '../../ssh/failure.ts'
import { type StorageFailure, type StorageFailureCode, storageFailure } from '../storage.ts'

const codes: Record<SshFailureCode, StorageFailureCode> = {
  unreachable: 'unreachable',
  timeout: 'timeout',
  name_not_found: 'name_not_found',
  address_refused: 'address_refused',
  host_key_unknown: 'host_key_unknown',
  host_key_mismatch: 'host_key_mismatch',
  auth_failed: 'auth',
  key_unreadable: 'key_unreadable',
  forward_refused: 'failed',
  file_unreadable: 'denied',
  connection_lost: 'connection_lost',
}

export const STATUS = { eof: 1, missing: 2, denied: 3, failure: 4, connectionLost: 7, unsupported: 8 } as const

export const statusOf = (error: unknown) => (error as { code?: unknown } | null)?.code

/** `what` completes "cannot"; `freeBytes` is what the folder's file system has left, where the server tells. */
export function explainSftp(error: unknown, at: string, what: string, freeBytes: number | null): unknown {
  if (isFailure<StorageFailure>(error, 'storage')) return error
  if (isFailure<SshFailure>(error, 'ssh')) return storageFailure(codes[error.code], error.message, { cause: error })
  const status = statusOf(error)
  const fail = (code: StorageFailureCode, said: string) =>
    storageFailure(code, `${at} cannot ${what}: ${said}.`, { cause: error })
  if (status === STATUS.missing) return fail('not_found', 'it says there is no such file')
  if (status === STATUS.denied) return fail('denied', 'permission denied')
  if (freeBytes !== null && freeBytes < 128 * 1024) return fail('full', 'no space is left there')
  if (typeof status === 'number' && status !== STATUS.connectionLost) {
    return fail('failed', `it says "${(error as Error).message}" (a used-up quota looks like this too)`)
  }
  if (error instanceof Error && /No response from server|channel|closed|not connected/i.test(error.message)) {
    return storageFailure('connection_lost', `The connection to ${at} broke (${error.message}).`, { cause: error })
  }
  return error
}
