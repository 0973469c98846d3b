// Not `node:fs/promises`, here and in what else each command does: loading that takes longer than all the reading.
import { readFileSync } from 'node:fs'
import { EXIT, Failure } from './failure.ts'

/** What a file says; null where there is none. */
export function fileText(file: string, otherwise: 'config_unreadable' | 'file_unreadable'): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Failure(EXIT.unexpected, otherwise, `${file} cannot be read: ${message}`)
  }
}
