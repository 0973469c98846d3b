import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { DeploymentError } from '@slipway/contract/deployments'
import type { Tx } from '../../db/database.ts'
import type { Waker } from '../../jobs/enqueue.ts'
import type { End, Pipeline, RunFacts } from '../../jobs/steps.ts'
import { deploy } from './deploy.ts'
import { append } from './events-store.ts'
import { DeployFailure } from './failure.ts'
import type { DeployParts } from './parts.ts'
import * as store from './store.ts'
import { leaveToSettle } from './unsettled.ts'

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

async function close({ transport }: DeployParts, tx: Tx, run: RunFacts, end: End): Promise<void> {
  const status = STATUS[end.outcome]
  const row = await store.load(tx, run.orgId, run.id)
  const error = end.reason && errorOf(end.reason, row)
  const after = await statusAfter(tx, run, end, row.release !== null)
  await store.update(tx, run.id, {
    status,
    finishedAt: new Date(),
    cancelling: false,
    waitingOn: null,
    error: error && JSON.stringify(error),
    services: JSON.stringify(row.services.map((service) => ({ ...service, status: after, error }))),
  })
  if (end.outcome === 'succeeded') await activate(transport, tx, row)
  if (end.leftovers.length > 0) await leaveToSettle(tx, transport, row)
  const at = new Date()
  await append(tx, run.id, null, [
    { type: 'status', at, data: { status, error } },
    { type: 'end', at, data: { status } },
  ])
}

/** The release before it goes; what it has on a server that the project left is seen to afterwards. */
async function activate(transport: Waker, tx: Tx, row: Row): Promise<void> {
  const before = await store.findActive(tx, row.projectId)
  await store.activate(tx, row.projectId, row.id)
  if (before && before.serverId !== row.serverId) await leaveToSettle(tx, transport, before)
}

/**
 * Where its services are now: on this release, back on the one before, gone because there was none, or never touched.
 * A rollout that could not be undone yet is still moving; whoever settles it writes down how that ended.
 */
async function statusAfter(tx: Tx, run: RunFacts, end: End, released: boolean) {
  if (end.outcome === 'succeeded') return 'healthy' as const
  if (!released) return 'failed' as const
  if (end.leftovers.includes('rollout')) return 'deploying' as const
  return (await store.findActive(tx, run.lane)) ? ('restored' as const) : ('removed' as const)
}

type Row = Awaited<ReturnType<typeof store.load>>

const errorOf = (reason: NonNullable<End['reason']>, row: Row): DeploymentError => ({
  code: reason.code,
  step: reason.step ?? null,
  service: reason.service ?? row.services[0]?.name ?? null,
  message: reason.message,
  hint: reason.hint ?? null,
  logSeq: reason.logSeq ?? Number(row.nextSeq),
})
