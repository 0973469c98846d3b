import { setTimeout as sleep } from 'node:timers/promises'
import { DriverFailure } from '../../../errors.ts'
import type { DeployContext } from '../deploy-context.ts'

/** Pauses before each further try: over a minute in all, in which a line or an engine that was restarted is back. */
const PAUSES_MS = [1000, 3000, 10_000, 20_000, 30_000]
/** What says so: a line that broke, an engine that does not answer, an edge that its engine has no time for. */
const LOST: Record<string, string[]> = {
  ssh: ['connection_lost', 'timeout', 'unreachable'],
  engine: ['engine_unreachable', 'engine_timeout'],
  builder: ['engine_lost', 'engine_timeout'],
  edge: ['edge_timeout'],
}

type Options = {
  step: string
  service: string | null
  deadlineMs: number
  signal: AbortSignal
  /** The engine has answered before: losing it says nothing about whether it can be reached. */
  reached?: boolean
}

/**
 * What lost its line to the engine is begun again with a pause in between, so that even a line which breaks every half minute brings
 * a deployment to its end; of a build, what it had made is in the engine's cache. An engine that never could be reached is told at
 * once, and not asked again.
 */
export async function overLostLines<Result>(
  { events }: Pick<DeployContext, 'events'>,
  { step, service, deadlineMs, signal, reached = false }: Options,
  work: (leftMs: number) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + deadlineMs
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(Math.max(1, Math.round(until - performance.now())))
    } catch (error) {
      const pause = PAUSES_MS[tries]
      const again = wasLost(error) && (reached || error.code === 'connection_lost')
      if (!again || pause === undefined || performance.now() + pause > until) throw error
      const line = `The line to the server was lost: ${error.message} It is tried again.`
      events.write('log', { service, step, stream: 'stderr', line })
      await sleep(pause, undefined, { signal })
    }
  }
}

/** How long a server may be away in the middle of a step. */
const AWAY_MS = 4 * 60_000

export type Patiently = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

/** For what comes after the engine has answered, unless it is said otherwise. */
export const patiently =
  (context: Pick<DeployContext, 'events'>, step: string, service: string | null = null, reached = true): Patiently =>
  (signal, work) =>
    overLostLines(context, { step, service, deadlineMs: AWAY_MS, signal, reached }, () => work())

const wasLost = (error: unknown): error is DriverFailure =>
  error instanceof DriverFailure && (LOST[error.driver]?.includes(error.code) ?? false)
