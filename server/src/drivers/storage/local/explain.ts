import { isFailure } from '../../../errors.ts'
import { type StorageFailure, type StorageFailureCode, storageFailure } from '../storage.ts'

const codes: Record<string, StorageFailureCode> = {
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENOENT: 'not_found',
  ENOTDIR: 'not_a_folder',
  EISDIR: 'bad_key',
  EEXIST: 'bad_key',
  ENOTEMPTY: 'bad_key',
  ENAMETOOLONG: 'bad_key',
  ELOOP: 'outside_root',
  ENOSPC: 'full',
  EDQUOT: 'quota',
}

const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'it is not there',
  ENOTDIR: 'something on the way is not a folder',
  EISDIR: 'there is a folder of this name',
  EEXIST: 'there is something else of this name',
  ENOTEMPTY: 'there is a folder of this name',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'a link stands in the way',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
}

/** Wrapped, so that nobody takes a system error for another part's. `what` completes "cannot". */
export function explainFile(error: unknown, what: string): unknown {
  if (isFailure<StorageFailure>(error, 'storage')) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (!/^E[A-Z0-9]+$/.test(code)) return error
  const said = words[code] ?? message
  return storageFailure(codes[code] ?? 'failed', `This machine cannot ${what}: ${said}.`, { cause: error })
}
