import type Docker from 'dockerode'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { pause, streamEngine } from '../../engine/ask.ts'
import type { Connections } from '../../engine/connections.ts'
import type { EngineTarget } from '../../engine/engine.ts'
import { findService, serviceTasks } from '../find.ts'
import type { ServiceKey } from '../labels.ts'
import { identityOf } from '../rollout/identity.ts'
import { type LogLine, logLines } from './log-lines.ts'

export type LogOptions = {
  signal: AbortSignal
  follow?: boolean
  /** A time, or a line's `at`; that line is given again. */
  since?: string
  /** The last lines of each task. */
  tail?: number
  /** Only what tasks of this deployment print. */
  deployment?: string
}

type Source = { connections: Connections; engine: EngineTarget; service: ServiceKey & { instance: string } }

const OPEN_MS = 20_000
const AGAIN_MS = 1000
/** For how long an engine may be away before following gives up. */
const AWAY_MS = 120_000

/**
 * A service's log over all its tasks, those to come included. When the engine goes away in the middle, it is asked again
 * from the last line on, and lines that were seen are not given twice. Ends when the service is gone.
 */
export async function* serviceLogs(source: Source, options: LogOptions): AsyncGenerator<LogLine> {
  const { signal, follow = false, since, tail, deployment } = options
  const seen = new Map<string, string>()
  const pass: Pass = { follow, since, tail, deployment, signal, state: 'closed' }
  let answered: number | undefined
  for (;;) {
    try {
      for await (const line of onePass(source, pass)) {
        answered = performance.now()
        const key = `${line.taskId} ${line.stream}`
        if (line.at <= (seen.get(key) ?? '')) continue
        seen.set(key, line.at)
        pass.since = line.at
        pass.tail = undefined
        yield line
      }
      if (pass.state === 'gone' || !follow) return
    } catch (error) {
      signal.throwIfAborted()
      if (pass.state === 'open') answered = performance.now()
      if (!follow || answered === undefined || performance.now() - answered > AWAY_MS) throw error
    }
    await pause(AGAIN_MS, signal)
  }
}

/** One request; it writes down how far it came. */
type Pass = {
  follow: boolean
  since: string | undefined
  tail: number | undefined
  deployment: string | undefined
  signal: AbortSignal
  state: 'closed' | 'open' | 'gone'
}

async function* onePass({ connections, engine, service }: Source, pass: Pass): AsyncGenerator<LogLine> {
  const { signal } = pass
  pass.state = 'closed'
  const held = await connections.hold(engine, { signal, deadlineMs: OPEN_MS })
  try {
    const { docker } = held.connection
    const found = await findService(docker, service, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]))
    pass.state = found ? 'open' : 'gone'
    if (!found) return
    const stream = await open(docker, found.ID, pass)
    // Without a reason of its own a destroyed stream would look like the end of the log.
    const stop = () => stream.destroy(new Error('The reader left.'))
    signal.addEventListener('abort', stop)
    try {
      const isWanted = taskFilter(docker, found, pass)
      for await (const line of logLines(stream, found.Spec.TaskTemplate.ContainerSpec?.TTY === true)) {
        if (await isWanted(line.taskId)) yield line
      }
    } finally {
      signal.removeEventListener('abort', stop)
      stream.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    const explained = await held.connection.explain(error)
    held.release(error)
    throw explained
  } finally {
    held.release()
  }
}

/** A task is looked up when its first line comes. */
function taskFilter(docker: Docker, service: ServiceAnswer, { deployment, signal }: Pass) {
  const known = new Map<string, boolean>()
  const learn = async (taskId: string) => {
    const tasks = await serviceTasks(docker, service, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]))
    known.set(taskId, false)
    for (const { ID, Spec } of tasks) known.set(ID, identityOf(Spec).deployment === deployment)
    return known.get(taskId)
  }
  return (taskId: string) => deployment === undefined || (known.get(taskId) ?? learn(taskId))
}

function open(docker: Docker, id: string, { follow, since, tail, signal }: Pass) {
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    details: true,
    follow,
    ...(since !== undefined && { since: secondsOf(since) }),
    ...(tail !== undefined && { tail }),
  }
  return streamEngine(docker, { path: `/services/${id}/logs`, query }, signal)
}

/** Seconds with all nine digits after the point: a Date would cut them to three. */
function secondsOf(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? ''
  return `${Math.floor(Date.parse(time) / 1000)}.${digits.padEnd(9, '0').slice(0, 9)}`
}
