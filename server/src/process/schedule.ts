import { reverifyDue } from '../core/backups/reverify.ts'
import { sweepLinkAttempts } from '../core/cloud/attempt-store.ts'
import { reconcileWrites } from '../core/cloud/writes/reconcile.ts'
import { compareServers } from '../core/deployments/converge/compare.ts'
import { collectGarbage, removeStrays, sweepFolders } from '../core/deployments/converge/garbage.ts'
import { settleDue } from '../core/deployments/converge/settle-due.ts'
import { expireLogs, moveLogs, sweepArchive } from '../core/deployments/events/history/retention.ts'
import { mendEdges } from '../core/deployments/routes/edges.ts'
import { watchAfterRelease } from '../core/deployments/watch/watch-after-release.ts'
import { pollDomains } from '../core/domains/certificates/poll-domains.ts'
import { sweepOrders } from '../core/domains/certificates/store.ts'
import { sweep as sweepAttempts } from '../core/githost/connect/attempt-store.ts'
import { pollDevices } from '../core/githost/connect/device.ts'
import { sweep as sweepDeliveries } from '../core/githost/push/delivery-store.ts'
import { followNew, lookAtFailed } from '../core/githost/push/poll.ts'
import { recheckInstallations } from '../core/githost/push/recheck.ts'
import { sweep as sweepReports } from '../core/githost/push/report-store.ts'
import { sweepRelayed } from '../core/githost/relay/relay-store.ts'
import { sweepSecrets } from '../core/githost/store.ts'
import { BEAT_MS } from '../core/idempotency/claims.ts'
import { sweepIdempotency } from '../core/idempotency/sweep.ts'
import { noteProgress } from '../core/instance/claim.ts'
import { sendDueMail } from '../core/mail/outbox.ts'
import { sweepMail } from '../core/mail/outbox-store.ts'
import { sweepAccess } from '../core/members/sweep.ts'
import type { Platform, WorkerParts } from '../core/platform.ts'
import { HEARTBEAT_MS, sayInUse } from '../core/sealing/keys-in-use.ts'
import { continueRotation } from '../core/sealing/rotate.ts'
import { freeNetworks } from '../core/servers/free-networks.ts'
import { guardMachines } from '../core/servers/guard-machines.ts'
import { sweepSignIns } from '../core/tokens/cli/store.ts'
import { sweepOrphans, sweepUploads } from '../core/uploads/sweep.ts'
import { BUILD_HEARTBEAT_MS, noteBuild } from '../db/builds.ts'
import { sweepRuns } from '../jobs/sweep.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export type Recurring = { name: string; everyMs: number; run(signal: AbortSignal): Promise<unknown> }

/** Recurring work that reaches outside, each by one process at a time: `jobs/schedule.ts` sees to that. */
export const byOneProcess = (parts: WorkerParts): Recurring[] => [
  { name: 'watch after release', everyMs: 4 * SECOND, run: watchAfterRelease(parts) },
  { name: 'names and certificates', everyMs: 2 * SECOND, run: (signal) => pollDomains(parts, signal) },
  { name: 'device logins', everyMs: 2 * SECOND, run: (signal) => pollDevices(parts, signal) },
  { name: 'branches to follow', everyMs: 2 * SECOND, run: () => followNew(parts) },
  ...(parts.config.mode === 'cloud' ? [] : [cloudWritesOf(parts)]),
  { name: 'installations', everyMs: 5 * SECOND, run: (signal) => recheckInstallations(parts, signal) },
  ...(parts.mailDoor === null ? [] : [mailOf(parts)]),
  { name: 'failed deliveries', everyMs: MINUTE, run: (signal) => lookAtFailed(parts, signal) },
  { name: 'edges', everyMs: 30 * SECOND, run: (signal) => mendEdges(parts, signal) },
  { name: 'servers to compare', everyMs: 20 * SECOND, run: (signal) => compareServers(parts, signal) },
  { name: 'machines', everyMs: 5 * MINUTE, run: (signal) => guardMachines(parts, signal) },
  { name: 'blocked networks', everyMs: 20 * SECOND, run: (signal) => freeNetworks(parts, signal) },
  { name: 'unsettled deployments', everyMs: 10 * SECOND, run: () => settleDue(parts) },
  { name: 'stray containers', everyMs: MINUTE, run: (signal) => removeStrays(parts, signal) },
  { name: 'garbage', everyMs: HOUR, run: (signal) => collectGarbage(parts, signal) },
  { name: 'backup destinations', everyMs: MINUTE, run: (signal) => reverifyDue(parts, signal) },
  { name: 'old keys', everyMs: MINUTE, run: (signal) => continueRotation(parts, signal) },
  { name: 'folders', everyMs: 6 * HOUR, run: () => sweepFolders(parts) },
  { name: 'old orders', everyMs: 6 * HOUR, run: () => sweepOrders(parts.db) },
  { name: 'old runs', everyMs: 6 * HOUR, run: (signal) => sweepRuns(parts.db, signal) },
]

/** What no process has heard of, what is tried again, and what a process that died has left. */
const mailOf = (parts: WorkerParts): Recurring => ({
  name: 'mail',
  everyMs: 4 * SECOND,
  run: (signal) => sendDueMail(parts, signal),
})

/** What was asked of a hosted cloud, and not answered. */
const cloudWritesOf = (parts: WorkerParts): Recurring => ({
  name: 'writes at the cloud',
  everyMs: 4 * SECOND,
  run: (signal) => reconcileWrites(parts, signal),
})

/** Small recurring work that only touches the database. Each piece is safe beside itself, so nobody needs to be chosen. */
export const byEachProcess = (platform: Platform): Recurring[] => [
  { name: 'token use', everyMs: 2 * SECOND, run: () => platform.tokenUse.flush() },
  { name: 'refusals', everyMs: 2 * SECOND, run: () => platform.denials.flush() },
  { name: 'build in use', everyMs: BUILD_HEARTBEAT_MS, run: () => noteBuild(platform.db) },
  { name: 'key in use', everyMs: HEARTBEAT_MS, run: () => sayInUse(platform) },
  { name: 'running calls', everyMs: BEAT_MS, run: () => platform.claims.beat() },
  { name: 'idempotency keys', everyMs: 10 * MINUTE, run: () => sweepIdempotency(platform) },
  { name: 'sessions and invitations', everyMs: HOUR, run: () => sweepAccess(platform) },
  { name: 'sign-ins of command lines', everyMs: MINUTE, run: () => sweepSignIns(platform.db) },
  { name: 'links that were asked for', everyMs: HOUR, run: () => sweepLinkAttempts(platform.db) },
  { name: 'stored contents', everyMs: 6 * HOUR, run: () => sweepOrphans(platform) },
  { name: 'logs to move', everyMs: MINUTE, run: () => moveLogs(platform, platform.draining) },
  { name: 'logs to give up', everyMs: 10 * MINUTE, run: () => expireLogs(platform, platform.draining) },
  { name: 'archive', everyMs: 6 * HOUR, run: () => sweepArchive(platform, platform.draining) },
  { name: 'progress of the database', everyMs: 10 * MINUTE, run: () => noteProgress(platform) },
  { name: 'old deliveries', everyMs: HOUR, run: () => sweepDeliveries(platform.db) },
  { name: 'old relayed deliveries', everyMs: 10 * MINUTE, run: () => sweepRelayed(platform.db) },
  { name: 'old reports', everyMs: HOUR, run: () => sweepReports(platform.db) },
  { name: 'old connects', everyMs: HOUR, run: () => sweepAttempts(platform.db) },
  { name: 'old hook secrets', everyMs: HOUR, run: () => sweepSecrets(platform.db) },
  { name: 'old mail', everyMs: HOUR, run: () => sweepMail(platform.db) },
  { name: 'uploads', everyMs: 10 * MINUTE, run: () => sweepUploads(platform) },
]
