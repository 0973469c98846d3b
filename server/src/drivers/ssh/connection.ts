import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientChannel, SFTPWrapper } from 'ssh2'
import { isFailure } from '../../errors.ts'
import { explainHandshake, type SshFailure, sshFailure } from './failure.ts'
import { type HostKeyWatch, hostKeyAlgorithms, watchHostKey } from './host-key.ts'
import { attempt, guard, type Link, lost } from './link.ts'
import { type LoginMethod, loginMethods } from './login.ts'
import { guardedLookup, refuseAddress } from './lookup.ts'
import { gatherWrites, keepKeys } from './pace.ts'
import { loadSsh2 } from './private-key.ts'
import { openSession, type SftpReader, sftpReader } from './reader.ts'
import { call } from './sftp.ts'
import { ForwardedSocket } from './socket.ts'
import { addressOf, type SshAccount, type SshOptions } from './target.ts'

export type SshConnection = SftpReader & {
  /** The key the server proved to hold. */
  readonly hostKey: string
  /** Aborted with the reason when the connection ends, for whatever reason. */
  readonly ended: AbortSignal
  openSocket(path: string): Promise<Duplex>
  /** A session of its own for reading and writing files. */
  openSftp(): Promise<SFTPWrapper>
  /** `reason` is what everything that still hangs on it fails with. */
  close(reason?: Error): void
}

export async function openSsh(target: SshAccount, options: SshOptions): Promise<SshConnection> {
  if (target.hostKey === null && !options.learnHostKey) {
    throw sshFailure('host_key_unknown', `The host key of ${addressOf(target)} has not been confirmed yet.`)
  }
  const logins = await loginMethods(target)
  const { Client } = await loadSsh2()
  options.signal.throwIfAborted()
  const { mayConnect = options.mayConnect } = target
  try {
    refuseAddress(target.host, mayConnect)
  } catch (error) {
    throw explainHandshake(error as Error, target, null)
  }
  const link: Link = {
    target,
    options,
    client: new Client(),
    // ssh2 cannot destroy a socket that the other side has ended; holding it ourselves makes closing certain.
    socket: gatherWrites(
      connect({
        host: target.host,
        port: target.port,
        noDelay: true,
        ...(mayConnect && { lookup: guardedLookup(mayConnect) }),
      }),
    ),
    life: new AbortController(),
    sockets: new Set(),
  }
  const watch = watchHostKey(target.hostKey)
  guard(link, watch)
  await handshake(link, watch, logins)
  return {
    hostKey: watch.presented ?? '',
    ended: link.life.signal,
    openSocket: (path) => openSocket(link, path),
    openSftp: () => openSftp(link),
    ...sftpReader(link),
    close: (reason) => link.life.abort(reason ?? lost(target, 'was closed')),
  }
}

async function handshake(link: Link, watch: HostKeyWatch, logins: LoginMethod[]): Promise<void> {
  const { target, client, socket, life } = link
  const ready = new Promise<void>((resolve) => client.once('ready', resolve))
  keepKeys(client)
  try {
    client.connect({
      sock: socket,
      username: target.user,
      authHandler: logins,
      hostVerifier: watch.verify,
      algorithms: { serverHostKey: hostKeyAlgorithms(target.hostKey) },
      // Forwarding is asked for whatever the server calls itself; one that cannot do it says so.
      strictVendor: false,
      readyTimeout: 0,
      keepaliveInterval: 10_000,
      keepaliveCountMax: 3,
    })
    await attempt(link, 'answer', ready)
    // Without it 50 small requests take 2.2 s instead of 0.05 s.
    client.setNoDelay(true)
  } catch (error) {
    life.abort(error)
    throw error
  }
}

async function openSftp(link: Link): Promise<SFTPWrapper> {
  try {
    return await attempt(link, 'open a file transfer', openSession(link))
  } catch (error) {
    if (link.life.signal.aborted || isFailure<SshFailure>(error, 'ssh')) throw link.life.signal.reason ?? error
    const message = `${addressOf(link.target)} does not offer file transfer (${(error as Error).message}).`
    throw sshFailure('file_unreadable', message, { cause: error })
  }
}

async function openSocket(link: Link, path: string): Promise<Duplex> {
  const { target, client, life, sockets } = link
  const work = call<ClientChannel>((done) => client.openssh_forwardOutStreamLocal(path, done))
  try {
    const socket = new ForwardedSocket(await attempt(link, `open the socket ${path}`, work))
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  } catch (error) {
    // A channel that opens after all has no owner any more.
    work.then((channel) => channel.destroy()).catch(() => {})
    if (life.signal.aborted || isFailure<SshFailure>(error, 'ssh')) throw life.signal.reason ?? error
    throw sshFailure('forward_refused', `${addressOf(target)} did not open the socket ${path}.`, { cause: error })
  }
}
