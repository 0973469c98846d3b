import { setMaxListeners } from 'node:events'
import type { SFTPWrapper } from 'ssh2'
import { openSsh, type SshConnection } from '../../ssh/connection.ts'
import { sshFailure } from '../../ssh/failure.ts'
import { call } from '../../ssh/sftp.ts'
import { addressOf, type SshAccount } from '../../ssh/target.ts'
import { within } from '../../ssh/within.ts'
import type { OpenOptions } from '../storage.ts'

type Done<T> = (error: Error | null | undefined, value: T) => void

/** One file transfer session of a connection; it ends with the connection. */
export type Session = {
  readonly sftp: SFTPWrapper
  /** One request, under the caller's signal and a deadline; a server that says nothing any more loses the connection. */
  ask<T>(signal: AbortSignal, start: (done: Done<T>) => unknown): Promise<T>
  /** For many waits in a row, one at a time. */
  patience(signal: AbortSignal): Patience
}

type Patience = { wait<T>(work: Promise<T>): Promise<T>; end(): void }

export type Sessions = {
  /** The living session, or a new one. */
  current(signal: AbortSignal): Promise<Session>
  readonly at: string
  close(): void
}

const CONNECT_MS = 10_000
const STALL_MS = 30_000

type Limits = Pick<OpenOptions, 'signal' | 'mayConnect' | 'onHostKey' | 'connectMs' | 'stallMs'>

/** Connects at once, and again whenever the connection was lost, to the same host key. */
export async function openSessions(account: SshAccount, options: Limits): Promise<Sessions> {
  const { signal, connectMs = CONNECT_MS, stallMs = STALL_MS } = options
  const life = new AbortController()
  const endAll = () => life.abort(signal.reason)
  setMaxListeners(0, life.signal)
  signal.addEventListener('abort', endAll)
  let pinned = account.hostKey
  let opening: Promise<Session> | undefined

  const connect = async () => {
    const learnHostKey = pinned === null && options.onHostKey !== undefined
    const limits = { signal: life.signal, deadlineMs: connectMs, learnHostKey, mayConnect: options.mayConnect }
    const connection = await openSsh({ ...account, hostKey: pinned }, limits)
    try {
      const sftp = await connection.openSftp()
      if (learnHostKey) options.onHostKey?.(connection.hostKey)
      pinned = connection.hostKey
      connection.ended.addEventListener('abort', () => {
        opening = undefined
      })
      connection.ended.throwIfAborted()
      return sessionOf(connection, sftp, addressOf(account), stallMs)
    } catch (error) {
      connection.close()
      throw error
    }
  }
  const current = async (asking: AbortSignal) => {
    opening ??= connect().catch((error) => {
      opening = undefined
      throw error
    })
    const late = () => sshFailure('timeout', `${addressOf(account)} did not answer in time.`)
    return within(opening, { signal: asking, deadlineMs: connectMs * 3, late })
  }
  try {
    await current(signal)
  } catch (error) {
    signal.removeEventListener('abort', endAll)
    throw error
  }
  return {
    current,
    at: addressOf(account),
    close() {
      signal.removeEventListener('abort', endAll)
      life.abort(sshFailure('connection_lost', `The connection to ${addressOf(account)} was closed.`))
    },
  }
}

function sessionOf(connection: SshConnection, sftp: SFTPWrapper, at: string, stallMs: number): Session {
  const { ended } = connection
  const silent = () => connection.close(sshFailure('timeout', `${at} did not answer for ${stallMs / 1000} s.`))
  const patience = (signal: AbortSignal): Patience => {
    let giveUp: ((reason: unknown) => void) | undefined
    const timer = setTimeout(() => giveUp && silent(), stallMs)
    const abort = () => giveUp?.(signal.reason)
    const lose = () => giveUp?.(ended.reason)
    signal.addEventListener('abort', abort)
    ended.addEventListener('abort', lose)
    return {
      wait: (work) =>
        new Promise((resolve, reject) => {
          const settle = (how: () => void) => {
            giveUp = undefined
            how()
          }
          giveUp = (reason) => settle(() => reject(reason))
          timer.refresh()
          if (signal.aborted) abort()
          else if (ended.aborted) lose()
          const failed = (error: unknown) => settle(() => reject(ended.aborted ? ended.reason : error))
          work.then((value) => settle(() => resolve(value)), failed)
        }),
      end() {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        ended.removeEventListener('abort', lose)
      },
    }
  }
  const ask: Session['ask'] = async (signal, start) => {
    const patient = patience(signal)
    try {
      return await patient.wait(call(start))
    } finally {
      patient.end()
    }
  }
  return { sftp, patience, ask }
}
