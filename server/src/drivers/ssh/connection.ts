import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientChannel, ParsedKey, PublicKeyAuthMethod } from 'ssh2'
import { SshFailure } from './failure.ts'
import { type HostKeyWatch, hostKeyAlgorithms, watchHostKey } from './host-key.ts'
import { attempt, guard, type Link, lost } from './link.ts'
import { loadSsh2, parsePrivateKey } from './private-key.ts'
import { type SftpReader, sftpReader } from './reader.ts'
import { call } from './sftp.ts'
import { ForwardedSocket } from './socket.ts'
import { addressOf, type SshOptions, type SshTarget } from './target.ts'

export type SshConnection = SftpReader & {
  /** The key the server proved to hold. */
  readonly hostKey: string
  openSocket(path: string): Promise<Duplex>
  close(): void
}

export async function openSsh(target: SshTarget, options: SshOptions): Promise<SshConnection> {
  if (target.hostKey === null && !options.learnHostKey) {
    throw new SshFailure('host_key_unknown', `The host key of ${addressOf(target)} has not been confirmed yet.`)
  }
  const key = await parsePrivateKey(target)
  const { Client } = await loadSsh2()
  options.signal.throwIfAborted()
  const link: Link = {
    target,
    options,
    client: new Client(),
    // ssh2 cannot destroy a socket that the other side has ended; holding it ourselves makes closing certain.
    socket: connect({ host: target.host, port: target.port, noDelay: true }),
    life: new AbortController(),
    sockets: new Set(),
  }
  const watch = watchHostKey(target.hostKey)
  guard(link, watch)
  await handshake(link, watch, key)
  return {
    hostKey: watch.presented ?? '',
    openSocket: (path) => openSocket(link, path),
    ...sftpReader(link),
    close: () => link.life.abort(lost(target, 'was closed')),
  }
}

async function handshake(link: Link, watch: HostKeyWatch, key: ParsedKey): Promise<void> {
  const { target, client, socket, life } = link
  // ssh2 takes a key that is already parsed only as a method of its own.
  const login: PublicKeyAuthMethod = { type: 'publickey', username: target.user, key }
  const ready = new Promise<void>((resolve) => client.once('ready', resolve))
  try {
    client.connect({
      sock: socket,
      username: target.user,
      authHandler: [login],
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
    if (life.signal.aborted || error instanceof SshFailure) throw life.signal.reason ?? error
    throw new SshFailure('forward_refused', `${addressOf(target)} did not open the socket ${path}.`, { cause: error })
  }
}
