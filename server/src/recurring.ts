import { reverifyDue } from './core/backups/reverify.ts'
import { lookAtNames } from './core/certificates/poll-domains.ts'
import { sweepOrders } from './core/certificates/store.ts'
import { liveWatch } from './core/deployments/converge/bake/watch-live.ts'
import { compareServers } from './core/deployments/converge/compare.ts'
import { mendEdges } from './core/deployments/converge/edges.ts'
import { collectGarbage, removeStrays, sweepFolders } from './core/deployments/converge/garbage.ts'
import { settleDue } from './core/deployments/converge/settle-due.ts'
import type { DeployParts } from './core/deployments/parts.ts'
import { pollDevices } from './core/githost/device.ts'
import { followNew, lookAtFailed } from './core/githost/push/poll.ts'
import { recheckInstallations } from './core/githost/push/recheck.ts'
import { continueRotation } from './core/sealing/rotate.ts'
import { freeNetworks } from './core/servers/free-networks.ts'
import { guardMachines } from './core/servers/guard-machines.ts'
import { startSchedule } from './jobs/schedule.ts'
import { sweepRuns } from './jobs/sweep.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/**
 * Recurring work that reaches outside, each by one process at a time. What only touches the database, and may be done by
 * all of them, is in upkeep.ts.
 */
export const startRecurring = (parts: DeployParts) =>
  startSchedule({
    db: parts.db,
    log: parts.log,
    lookMs: 2 * SECOND,
    jobs: [
      { name: 'go-live watch', everyMs: 4 * SECOND, run: liveWatch(parts) },
      { name: 'names and certificates', everyMs: 2 * SECOND, run: (signal) => lookAtNames(parts, signal) },
      { name: 'device logins', everyMs: 2 * SECOND, run: (signal) => pollDevices(parts, signal) },
      { name: 'branches to follow', everyMs: 2 * SECOND, run: () => followNew(parts) },
      { name: 'installations', everyMs: 5 * SECOND, run: (signal) => recheckInstallations(parts, signal) },
      { name: 'failed deliveries', everyMs: 60 * SECOND, run: (signal) => lookAtFailed(parts, signal) },
      { name: 'edges', everyMs: 30 * SECOND, run: (signal) => mendEdges(parts, signal) },
      { name: 'servers to compare', everyMs: 20 * SECOND, run: (signal) => compareServers(parts, signal) },
      { name: 'machines', everyMs: 300 * SECOND, run: (signal) => guardMachines(parts, signal) },
      { name: 'blocked networks', everyMs: 20 * SECOND, run: (signal) => freeNetworks(parts, signal) },
      { name: 'unsettled deployments', everyMs: 30 * SECOND, run: () => settleDue(parts) },
      { name: 'stray containers', everyMs: 60 * SECOND, run: (signal) => removeStrays(parts, signal) },
      { name: 'garbage', everyMs: HOUR, run: (signal) => collectGarbage(parts, signal) },
      { name: 'backup destinations', everyMs: 60 * SECOND, run: (signal) => reverifyDue(parts, signal) },
      { name: 'old keys', everyMs: 60 * SECOND, run: (signal) => continueRotation(parts, signal) },
      { name: 'folders', everyMs: 6 * HOUR, run: () => sweepFolders(parts) },
      { name: 'old orders', everyMs: 6 * HOUR, run: () => sweepOrders(parts.db) },
      { name: 'old runs', everyMs: 6 * HOUR, run: (signal) => sweepRuns(parts.db, signal) },
    ],
  })
