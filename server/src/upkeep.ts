import { sweepAccess } from './core/access/sweep.ts'
import { expireLogs, moveLogs, sweepArchive } from './core/deployments/events/history/retention.ts'
import { sweep as sweepAttempts } from './core/githost/attempt-store.ts'
import { sweep as sweepDeliveries } from './core/githost/push/delivery-store.ts'
import { sweep as sweepReports } from './core/githost/push/report-store.ts'
import { sweepSecrets } from './core/githost/store.ts'
import { BEAT_MS } from './core/idempotency/claims.ts'
import { sweepIdempotency } from './core/idempotency/sweep.ts'
import { noteProgress } from './core/instance/claim.ts'
import type { Platform } from './core/platform.ts'
import { HEARTBEAT_MS, sayInUse } from './core/sealing/keys-in-use.ts'
import { sweepOrphans, sweepUploads } from './core/uploads/sweep.ts'
import { BUILD_HEARTBEAT_MS, noteBuild } from './db/builds.ts'
import type { Logger } from './wiring.ts'

type Task = { name: string; everyMs: number; run(): Promise<unknown> }

/**
 * Small recurring work. Every process runs all of it: each task is safe beside itself, so none needs to be chosen.
 * A failing run is logged and tried again at its next turn.
 */
export function startUpkeep(platform: Platform, logger: Logger): { stop(): Promise<void> } {
  const tasks: Task[] = [
    { name: 'token use', everyMs: 2_000, run: () => platform.tokenUse.flush() },
    { name: 'refusals', everyMs: 2_000, run: () => platform.denials.flush() },
    { name: 'build in use', everyMs: BUILD_HEARTBEAT_MS, run: () => noteBuild(platform.db) },
    { name: 'key in use', everyMs: HEARTBEAT_MS, run: () => sayInUse(platform) },
    { name: 'running calls', everyMs: BEAT_MS, run: () => platform.claims.beat() },
    { name: 'idempotency keys', everyMs: 10 * 60_000, run: () => sweepIdempotency(platform) },
    { name: 'sessions and invitations', everyMs: 3600_000, run: () => sweepAccess(platform) },
    { name: 'stored contents', everyMs: 6 * 3600_000, run: () => sweepOrphans(platform) },
    { name: 'logs to move', everyMs: 60_000, run: () => moveLogs(platform, platform.draining) },
    { name: 'logs to give up', everyMs: 10 * 60_000, run: () => expireLogs(platform, platform.draining) },
    { name: 'archive', everyMs: 6 * 3600_000, run: () => sweepArchive(platform, platform.draining) },
    { name: 'progress of the database', everyMs: 10 * 60_000, run: () => noteProgress(platform) },
    { name: 'old deliveries', everyMs: 3600_000, run: () => sweepDeliveries(platform.db) },
    { name: 'old reports', everyMs: 3600_000, run: () => sweepReports(platform.db) },
    { name: 'old connects', everyMs: 3600_000, run: () => sweepAttempts(platform.db) },
    { name: 'old hook secrets', everyMs: 3600_000, run: () => sweepSecrets(platform.db) },
    { name: 'uploads', everyMs: 10 * 60_000, run: () => sweepUploads(platform) },
  ]
  const running = new Set<Promise<unknown>>()
  const timers = tasks.map((task) =>
    setInterval(() => {
      const run = task.run().catch((error) => logger.warn({ err: error, task: task.name }, 'upkeep failed'))
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
