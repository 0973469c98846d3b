import { createHash } from 'node:crypto'
import { isFailure } from '../../errors.ts'
import type { SshFailure } from '../ssh/failure.ts'
import { within } from '../ssh/within.ts'
import { connectEngine, type EngineConnection } from './connect.ts'
import { type EngineFailure, type EngineTarget, engineFailure } from './engine.ts'

/** `signal` is the caller's; `deadlineMs` covers the whole operation, connecting included. */
type Limits = { signal: AbortSignal; deadlineMs: number }
export type Work<T> = (connection: EngineConnection, signal: AbortSignal) => Promise<T>

export type Connections = {
  /** Runs `work` on the target's connection; repeats it once when a kept connection turns out to be dead. */
  use<T>(target: EngineTarget, limits: Limits, work: Work<T>): Promise<T>
  /** The connection for as long as the caller needs it. */
  hold(target: EngineTarget, limits: Limits): Promise<Held>
  close(): void
}

/** Whoever lets go because of an error says so: a broken connection is not given to the next. */
type Held = { connection: EngineConnection; release(error?: unknown): void }

type Entry = {
  key: string
  life: AbortController
  connection: Promise<EngineConnection>
  opened: boolean
  users: number
  idle?: NodeJS.Timeout
}

const OPEN_MS = 15_000

/** One open connection per target, known by its content, so that a rollout's polling does not connect each time. */
export function engineConnections({ idleMs = 60_000 } = {}): Connections {
  const { take, give, forget, isOpen, close } = pool(idleMs)

  async function hold(target: EngineTarget, { signal, deadlineMs }: Limits): Promise<Held> {
    const entry = take(target)
    try {
      const late = () => timeout(target, deadlineMs)
      const connection = await within(entry.connection, { signal, deadlineMs, late })
      let released = false
      const release = (error?: unknown) => {
        if (isBroken(error)) forget(entry)
        if (!released) give(entry)
        released = true
      }
      return { connection, release }
    } catch (error) {
      // A caller who leaves does not spoil it for the others; what could not be opened is opened anew.
      if (!signal.aborted) forget(entry)
      give(entry)
      throw error
    }
  }

  async function attempt<T>(target: EngineTarget, limits: Limits, work: Work<T>): Promise<T> {
    const reused = isOpen(target)
    const { connection, release } = await hold(target, limits)
    try {
      return await work(connection, limits.signal)
    } catch (error) {
      if (limits.signal.aborted) throw error
      const explained = await connection.explain(error)
      release(error)
      if (!isBroken(error) || !reused) throw explained
    } finally {
      release()
    }
    return attempt(target, limits, work)
  }

  async function use<T>(target: EngineTarget, { signal, deadlineMs }: Limits, work: Work<T>): Promise<T> {
    const deadline = AbortSignal.timeout(deadlineMs)
    try {
      return await attempt(target, { signal: AbortSignal.any([signal, deadline]), deadlineMs }, work)
    } catch (error) {
      signal.throwIfAborted()
      throw deadline.aborted ? timeout(target, deadlineMs, error) : error
    }
  }

  return { use, hold, close }
}

function pool(idleMs: number) {
  const entries = new Map<string, Entry>()
  let closed = false

  /** New callers get a new connection; this one ends when its last user has left. */
  const forget = (entry: Entry) => {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
    if (entry.users === 0) end(entry)
  }
  return {
    forget,
    isOpen: (target: EngineTarget) => entries.get(keyOf(target))?.opened === true,
    take(target: EngineTarget): Entry {
      if (closed) throw new Error('The runtime was closed.')
      const key = keyOf(target)
      const entry = entries.get(key) ?? open(key, target)
      entries.set(key, entry)
      entry.users++
      clearTimeout(entry.idle)
      return entry
    },
    give(entry: Entry): void {
      entry.users--
      if (entry.users > 0) return
      if (entries.get(entry.key) !== entry) end(entry)
      else entry.idle = setTimeout(() => forget(entry), idleMs).unref()
    },
    close(): void {
      closed = true
      for (const entry of entries.values()) end(entry)
      entries.clear()
    },
  }
}

function open(key: string, target: EngineTarget): Entry {
  const life = new AbortController()
  const late = setTimeout(() => life.abort(timeout(target, OPEN_MS)), OPEN_MS)
  const connection = connectEngine(target, { signal: life.signal, deadlineMs: OPEN_MS })
  const entry: Entry = { key, life, connection, opened: false, users: 0 }
  connection
    .then(
      () => {
        entry.opened = true
      },
      () => {},
    )
    .finally(() => clearTimeout(late))
  return entry
}

function end(entry: Entry): void {
  clearTimeout(entry.idle)
  entry.life.abort(engineFailure('engine_unreachable', 'The connection to the Docker Engine was closed.'))
  entry.connection.then(
    (connection) => connection.close(),
    () => {},
  )
}

/** Contains keys and passphrases: kept as a hash. What is allowed there is no other way to get there. */
function keyOf({ policy: _, ...target }: EngineTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('base64')
}

/** The way to the engine broke, as opposed to an answer that says no. */
function isBroken(error: unknown): boolean {
  if (isFailure<SshFailure>(error, 'ssh')) return true
  const { code } = (error ?? {}) as { code?: string }
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNREFUSED' || code === 'ENOENT'
}

function timeout(target: EngineTarget, deadlineMs: number, cause?: unknown): EngineFailure {
  const message = `The Docker Engine at ${target.socketPath} did not answer within ${deadlineMs / 1000} s.`
  return engineFailure('engine_timeout', message, cause)
}
