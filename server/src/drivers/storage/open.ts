import { fileStorage } from './files/file-storage.ts'
import { prefixParts } from './keys.ts'
import { explainFile } from './local/explain.ts'
import { openInside } from './local/folders.ts'
import { localTree } from './local/local-tree.ts'
import { openS3 } from './s3/s3-storage.ts'
import { explainSftp } from './sftp/explain.ts'
import { openSessions } from './sftp/session.ts'
import { sftpTree } from './sftp/sftp-tree.ts'
import {
  type OpenOptions,
  type PlatformServerPlace,
  type SftpPlace,
  type Storage,
  type StorageOpener,
  type StoragePlace,
  storageFailure,
} from './storage.ts'

export const storageOpener: StorageOpener = { open }

async function open(place: StoragePlace, options: OpenOptions): Promise<Storage> {
  options.signal.throwIfAborted()
  if (place.kind === 's3_compatible') return openS3(place, options)
  if (place.kind === 'sftp') return openSftp(place, options)
  if (place.kind === 'platform_server') return openServer(place, options)
  return openFolder(place.root, place.path, place.prefix ?? '')
}

async function openFolder(root: string, path: string, prefix: string): Promise<Storage> {
  try {
    return fileStorage(localTree(await openInside(root, path, prefixParts(prefix))))
  } catch (error) {
    throw explainFile(error, `open ${path}`)
  }
}

async function openSftp(place: SftpPlace, options: OpenOptions): Promise<Storage> {
  const { host, port, user, password, privateKey, passphrase, hostKey, prefix } = place
  const account = { host, port, user, password, privateKey, hostKey, passphrase: passphrase ?? undefined }
  return openTree(account, (prefix.startsWith('/') ? '/' : '') + prefixParts(prefix).join('/'), options)
}

/** Logs in as the platform does, on a connection of its own: an archive must not stand in the way of the engine. */
async function openServer({ target, folder, prefix }: PlatformServerPlace, options: OpenOptions): Promise<Storage> {
  if (!folder.startsWith('/')) throw storageFailure('bad_place', `${folder} is not an absolute path.`)
  if (target.kind === 'local') return openFolder('/', folder, prefix)
  return openTree(target.ssh, `/${[...prefixParts(folder), ...prefixParts(prefix)].join('/')}`, options)
}

async function openTree(account: Parameters<typeof openSessions>[0], base: string, options: OpenOptions) {
  try {
    return fileStorage(sftpTree(await openSessions(account, options), base))
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    throw explainSftp(error, account.host, 'open the folder', null)
  }
}
