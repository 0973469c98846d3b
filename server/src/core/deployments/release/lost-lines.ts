import { setTimeout as sleep } from 'node:timers/promises'
import { DriverFailure } from '../../../errors.ts'
import type { DeployContext } from '../story/deploy-context.ts'

/** Pauses before each further try: over a minute in all, in which a line or an engine that was restarted is back. */
const PAUSES_MS = [1000, 3000, 10_000, 20_000, 30_000]
const LOST: Record<string, string[]> = {
  ssh: ['connection_lost', 'timeout', 'unreachable'],
  engine: ['engine_unreachable', 'engine_timeout'],
  builder: ['engine_lost', 'engine_timeout'],
}

type Line = {
  /** Of the time that the whole may take. */
  readonly leftMs: number
  /** The engine is at it: from here on, losing the line says nothing about whether it can be reached. */
  began(): void
}
type Options = { service: string; deadlineMs: number; signal: AbortSignal }

/**
 * A build whose line to the engine was lost is begun again with a pause in between: what it had made is in the engine's cache, so that
 * even a line which breaks every half minute brings a long build to its end. One that never began was told why, and is not repeated.
 */
export async function overLostLines<Built>(
  { events }: Pick<DeployContext, 'events'>,
  { service, deadlineMs, signal }: Options,
  build: (line: Line) => Promise<Built>,
): Promise<Built> {
  const until = performance.now() + deadlineMs
  let begun = false
  const began = () => {
    begun = true
  }
  for (let tries = 0; ; tries += 1) {
    try {
      const leftMs = Math.max(1, Math.round(until - performance.now()))
      return await build({ leftMs, began })
    } catch (error) {
      const pause = PAUSES_MS[tries]
      if (!begun || pause === undefined || !wasLost(error) || performance.now() + pause > until) throw error
      const line = `The line to the server was lost: ${error.message} The build is begun again.`
      events.write('log', { service, step: 'build', stream: 'stderr', line })
      await sleep(pause, undefined, { signal })
    }
  }
}

const wasLost = (error: unknown): error is DriverFailure =>
  error instanceof DriverFailure && (LOST[error.driver]?.includes(error.code) ?? false)
