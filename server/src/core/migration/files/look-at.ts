import type { FileFailure, FileReader } from '../../../drivers/ssh/file-reader.ts'
import { isFailure } from '../../../errors.ts'
import { MOST_FILE_BYTES } from '../../../source/compose/limits.ts'
import { mayRead, type Reading } from './may-read.ts'

export type NotRead = 'missing' | 'denied' | 'not_a_file' | 'too_large' | 'forbidden' | 'failed'
export type LookedAt = { ok: true; real: string; size: number } | { ok: false; reason: NotRead }

const MOST_PATH = 4096

/**
 * Whether a file may be read, before a byte of it is: where its links end first, then that it is a plain and small file there. A FIFO
 * would hold up the server's only SFTP process for ever.
 */
export async function lookAt(files: FileReader, path: string, as: Reading, beside: string): Promise<LookedAt> {
  if (!path.startsWith('/') || path.length > MOST_PATH || path.includes('\0')) return { ok: false, reason: 'forbidden' }
  try {
    const real = await files.realpath(path)
    if (!mayRead(real, as, beside)) return { ok: false, reason: 'forbidden' }
    const { kind, size } = await files.facts(real)
    if (kind !== 'file') return { ok: false, reason: 'not_a_file' }
    return size > MOST_FILE_BYTES ? { ok: false, reason: 'too_large' } : { ok: true, real, size }
  } catch (error) {
    return { ok: false, reason: reasonIn(error) }
  }
}

/** Of a file that could not be looked at; whatever else went wrong is not about it. */
export function reasonIn(error: unknown): NotRead {
  if (isFailure<FileFailure>(error, 'files')) return error.code
  throw error
}
