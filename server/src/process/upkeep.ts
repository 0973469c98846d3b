import type { Platform } from '../core/platform.ts'
import { byEachProcess } from './schedule.ts'
import type { Logger } from './wiring.ts'

/** Runs what every process does by itself. A failing run is logged and tried again when its time comes again. */
export function startUpkeep(platform: Platform, logger: Logger): { stop(): Promise<void> } {
  const running = new Set<Promise<unknown>>()
  const timers = byEachProcess(platform).map((task) =>
    setInterval(() => {
      const run = task
        .run(platform.draining)
        .catch((error) => logger.warn({ err: error, task: task.name }, 'upkeep failed'))
      running.add(run)
      run.finally(() => running.delete(run))
    }, task.everyMs).unref(),
  )
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
      await platform.tokenUse.flush().catch(() => {})
      await platform.denials.flush().catch(() => {})
    },
  }
}
