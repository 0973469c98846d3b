import type { DeploymentError, DeploymentService } from '@slipway/contract/deployment-shape'
import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import { ProjectSettings } from '@slipway/contract/projects'
import type { Tx } from '../../../db/database.ts'
import type { Waker } from '../../../jobs/enqueue.ts'
import type { End, Pipeline, RunFacts } from '../../../jobs/steps.ts'
import * as projects from '../../projects/store.ts'
import * as servers from '../../servers/store.ts'
import { scheduleSettle } from '../converge/schedule-settle.ts'
import { append } from '../events/events-store.ts'
import type { DeployParts } from '../parts.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { DeployFailure } from '../rows/failure.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { startWatch, stopWatch } from '../watch/watch-store.ts'
import { deploy } from './deploy.ts'

const STATUS: Record<End['outcome'], DeploymentStatus> = {
  succeeded: 'ready',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** Deployments as a kind of run: the row that people see changes in the transaction that ends the run. */
export const deployPipeline = (parts: DeployParts): Pipeline => ({
  run: (run) => deploy(parts, run),
  onEnd: (tx, run, end) => close(parts, tx, run, end),
  explain(error) {
    if (error instanceof DeployFailure) {
      const { code, message, hint, service, logSeq } = error.error
      return {
        code,
        message,
        ...(hint !== null && { hint }),
        ...(service !== null && { service }),
        ...(logSeq !== null && { logSeq }),
      }
    }
    const known = error as Error & { code?: unknown; hint?: unknown }
    if (typeof known.hint === 'string' && typeof known.code === 'string')
      return { code: known.code, message: known.message, hint: known.hint }
    return {
      code: 'internal',
      message: 'Something unexpected stopped this deployment.',
      hint: 'The server’s log has the details.',
    }
  },
})

async function close(parts: DeployParts, tx: Tx, run: RunFacts, end: End): Promise<void> {
  const { transport } = parts
  const row = await store.load(tx, run.orgId, run.id)
  const active = await store.findActive(tx, run.lane)
  const before =
    active && isKept(active, row) ? releaseOf(parts, active).services.map(({ service }) => service) : undefined
  const status = statusOf(end, row)
  const error =
    end.reason && end.reason.code !== 'superseded'
      ? errorOf(end.reason, row)
      : end.outcome === 'succeeded'
        ? row.error
        : null
  await store.update(tx, run.id, {
    status,
    // What was kept and then could not be brought to its end never was a release.
    ...(status === 'failed' && { decision: null }),
    finishedAt: new Date(),
    cancelling: false,
    waitingOn: null,
    error: error && JSON.stringify(error),
    services: JSON.stringify(
      row.services.map(({ waitingFor: _, ...service }) => after(service, { end, row, before, error })),
    ),
  })
  if (end.outcome === 'succeeded') await activate(transport, tx, row)
  if (end.leftovers.length > 0) await scheduleSettle(tx, transport, row)
  // It changed hands: what its last owner had under way may still have reached the engine after the next one looked.
  if (run.fence > 1) await servers.compareSoon(tx, { id: row.serverId, orgId: run.orgId })
  const at = new Date()
  await append(tx, run.id, null, [
    { type: 'status', at, data: { status, error } },
    { type: 'end', at, data: { status } },
  ])
}

/** A release on another server never stopped; one that another engine of this server ran cannot be back on this one. */
const isKept = (active: Row, { serverId, engineId }: Row) => active.serverId !== serverId || ranOn(active, engineId)

function statusOf({ outcome, reason }: End, { decision }: Row): DeploymentStatus {
  if (outcome === 'succeeded' && decision === 'kept') return 'partial_failure'
  if (outcome === 'failed' && (reason?.code === 'rejected' || reason?.code === 'superseded')) return reason.code
  return STATUS[outcome]
}

/** The release before it goes; what it has on a server that the project left is seen to afterwards. */
async function activate(transport: Waker, tx: Tx, row: Row): Promise<void> {
  const before = await store.findActive(tx, row.projectId)
  await store.activate(tx, row.projectId, row.id)
  const project = await projects.load(tx, row.orgId, row.projectId)
  const { bakeSeconds } = ProjectSettings.parse(project.settings)
  await stopWatch(tx, row.projectId)
  // Who goes back has decided what is to run, whatever became of it since.
  await startWatch(tx, row.id, row.trigger === 'rollback' ? 0 : bakeSeconds, before?.id ?? null)
  if (before && before.serverId !== row.serverId) await scheduleSettle(tx, transport, before)
}

/** `before`: the services of the release that is active, which may be fewer than its deployment has. */
type Ended = { end: End; row: Row; before: string[] | undefined; error: DeploymentError | null }

/**
 * Where a service is now: on this release, back on the one before, gone because there was none, or never touched. A rollout
 * that could not be undone yet is still moving; whoever settles it writes down how that ended.
 */
function after(service: DeploymentService, { end, row, before, error }: Ended): DeploymentService {
  const several = row.services.length > 1
  if (end.outcome === 'succeeded') return several ? service : { ...service, status: 'healthy', error }
  // One of several has its own error, if it had any; what keeps the whole is told once.
  const own = several ? service.error : error
  if (row.release === null) {
    // It came to no release: what was built for it goes again, and whoever is not to blame is as if never begun.
    const blamed = error !== null && (!several || error.service === service.name)
    const unmade = { ...service, image: null, digest: null }
    return blamed ? { ...unmade, status: 'failed', error } : { ...unmade, status: 'pending', error: null }
  }
  if (end.leftovers.some((step) => step.split(':')[0] === 'rollout'))
    return { ...service, status: 'deploying', error: own }
  const back = several ? before?.includes(service.name) : before
  return { ...service, status: back ? 'restored' : 'removed', error: own }
}

type Row = Awaited<ReturnType<typeof store.load>>

const errorOf = (reason: NonNullable<End['reason']>, row: Row): DeploymentError => ({
  code: reason.code,
  step: reason.step ?? null,
  service: reason.service ?? (row.services.length === 1 ? (row.services[0]?.name ?? null) : null),
  message: reason.message,
  hint: reason.hint ?? null,
  logSeq: reason.logSeq ?? Number(row.nextSeq),
})
