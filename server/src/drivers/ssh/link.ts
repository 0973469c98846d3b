import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { explainHandshake, type SshFailure, sshFailure } from './failure.ts'
import type { HostKeyWatch } from './host-key.ts'
import { addressOf, type SshAccount, type SshOptions } from './target.ts'
import { within } from './within.ts'

export type Link = {
  target: SshAccount
  client: Client
  socket: Socket
  /** Aborted once, with the reason, when the connection ends for whatever reason. */
  life: AbortController
  sockets: Set<Duplex>
  options: SshOptions
}

/** Every way a connection can end leads to `life`, and from there to everything that hangs on it. */
export function guard({ target, client, socket, life, sockets, options }: Link, watch: HostKeyWatch): void {
  let ready = false
  const cancel = () => life.abort(options.signal.reason)
  setMaxListeners(0, life.signal)
  options.signal.addEventListener('abort', cancel)
  client.once('ready', () => {
    ready = true
  })
  client.on('error', (error) => {
    if (watch.refused) life.abort(mismatch(target, watch))
    else life.abort(ready ? lost(target, 'broke', error) : explainHandshake(error, target, watch.presented))
  })
  client.on('close', () => {
    life.abort(lost(target, ready ? 'was closed by the server' : 'was closed before the SSH handshake was complete'))
  })
  life.signal.addEventListener('abort', () => {
    options.signal.removeEventListener('abort', cancel)
    for (const open of sockets) open.destroy(life.signal.reason)
    client.end()
    socket.destroy()
  })
}

/** One operation of a living connection, under its deadline; `what` completes "did not … within". */
export function attempt<T>({ target, life, options }: Link, what: string, work: Promise<T>): Promise<T> {
  const late = () => {
    const limit = `${options.deadlineMs / 1000} s`
    return sshFailure('timeout', `${addressOf(target)} did not ${what} within ${limit}.`)
  }
  return within(work, { signal: life.signal, deadlineMs: options.deadlineMs, late })
}

function mismatch(target: SshAccount, { presented }: HostKeyWatch): SshFailure {
  const message = `${addressOf(target)} showed the host key ${presented}, but ${target.hostKey} is the confirmed one.`
  return sshFailure('host_key_mismatch', message, { presentedHostKey: presented })
}

export function lost(target: SshAccount, how: string, cause?: Error): SshFailure {
  return sshFailure('connection_lost', `The connection to ${addressOf(target)} ${how}.`, { cause })
}
