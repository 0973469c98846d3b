import type { SFTPWrapper } from 'ssh2'
import { isFailure } from '../../errors.ts'
import { type SshFailure, sshFailure } from './failure.ts'
import { attempt, type Link } from './link.ts'
import { call, type DiskSpace, diskSpace, readFile, reasonOf, type SocketState, socketState } from './sftp.ts'
import { addressOf } from './target.ts'

export type SftpReader = {
  /** The first `maxBytes` of the file. */
  readFile(path: string, maxBytes: number): Promise<Buffer>
  diskSpace(path: string): Promise<DiskSpace>
  /** Why a socket could not be opened. Never fails but with the connection itself. */
  socketState(path: string): Promise<SocketState>
}

/** SFTP on a connection: one session, opened on first use and shared by all reads. */
export function sftpReader(link: Link): SftpReader {
  let session: Promise<SFTPWrapper> | undefined

  const open = () => {
    session ??= openSession(link).catch((error) => {
      session = undefined
      throw error
    })
    return session
  }

  async function read<T>(path: string, work: (sftp: SFTPWrapper) => Promise<T>): Promise<T> {
    try {
      return await attempt(link, `read ${path}`, open().then(work))
    } catch (error) {
      if (link.life.signal.aborted || isFailure<SshFailure>(error, 'ssh')) throw link.life.signal.reason ?? error
      const message = `${path} on ${addressOf(link.target)} cannot be read: ${reasonOf(error)}.`
      throw sshFailure('file_unreadable', message, { cause: error })
    }
  }

  return {
    readFile: (path, maxBytes) => read(path, (sftp) => readFile(sftp, path, maxBytes)),
    diskSpace: (path) => read(path, (sftp) => diskSpace(sftp, path)),
    socketState: (path) =>
      read(path, (sftp) => socketState(sftp, path)).catch((error) => {
        if (link.life.signal.aborted) throw error
        return 'unknown' as const
      }),
  }
}

export async function openSession({ client }: Pick<Link, 'client'>): Promise<SFTPWrapper> {
  const sftp = await call<SFTPWrapper>((done) => client.sftp(done))
  // Without a listener an error of the session would end the process; each request reports its own.
  return sftp.on('error', () => {})
}
