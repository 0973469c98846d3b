import { setTimeout as sleep } from 'node:timers/promises'
import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { Refusal } from '../../../errors.ts'
import { openRuns, progressOf, submit } from '../../../jobs/enqueue.ts'
import type { Pipeline, Run } from '../../../jobs/steps.ts'
import type { Caller } from '../../access/caller.ts'
import { type Actor, record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { clearServer } from '../converge/clear-server.ts'
import { stop as stopped } from '../converge/planning/wanted.ts'
import { submitSettle } from '../converge/schedule-settle.ts'
import type { DeployParts } from '../parts.ts'
import { setRouted } from '../routes/routed-store.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

type Parts = Pick<BaseParts, 'db' | 'transport'>
type RemoveInput = { deployment: string; by: Pick<Caller, keyof Caller> }

/** Longer than a container may take to end. */
const WAIT_MS = 50_000
const LOOK_MS = 150

/** Deletes the deployment for good; its services only when it is the active one and that is meant. */
export async function removeDeployment(parts: Parts, caller: Caller, id: string, force: boolean, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  if (force && deployment.active) return stopAndRemove(parts, caller, deployment, signal)
  requireAllowed(can.remove(stateOf(deployment)))
  return transaction(parts.db, async (tx) => {
    const { projectId, orgId, number } = deployment
    await store.remove(tx, orgId, id)
    // Its images: a run that knows what the others need takes them.
    await submitSettle(tx, parts.transport, { orgId, projectId })
    await record(tx, caller, 'deployment.delete', id, { number, force })
    return { success: true as const }
  })
}

/** What runs is stopped in the project's turn, so that nothing is being rolled out meanwhile; the answer waits for it. */
async function stopAndRemove(parts: Parts, caller: Caller, deployment: store.DeploymentRow, signal: AbortSignal) {
  const { id, orgId, projectId } = deployment
  const run = newId('run')
  await transaction(parts.db, async (tx) => {
    const open = await openRuns(tx, orgId, projectId)
    if (open.some(({ kind }) => kind === 'deploy')) {
      throw new Refusal('not_now', 'Another deployment of the project is under way.', {
        hint: 'Wait until it has ended, or cancel it first.',
      })
    }
    const input: RemoveInput = { deployment: id, by: { ...caller, scopes: null } }
    await submit(tx, parts.transport, { id: run, lane: projectId, kind: 'remove', orgId, input, urgency: 'emergency' })
  })
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline && !signal.aborted) {
    const now = await progressOf(parts.db, orgId, run)
    if (now?.status === 'succeeded') return { success: true as const }
    if (now?.status === 'failed') throw failed(now.reason)
    await sleep(LOOK_MS)
  }
  throw new Refusal('conflict', 'It is being removed, which takes longer than usual.', {
    hint: 'Look again in a while.',
  })
}

const failed = (reason: { message: string; hint?: string } | null) =>
  new Refusal('server_unreachable', reason?.message ?? 'Its services could not be stopped.', {
    hint: reason?.hint ?? 'Look at the server, and try again.',
  })

/** May be repeated at any point: the row goes last, with its audit entry. */
export const removePipeline = (parts: DeployParts): Pipeline => ({
  run: (run) => run.step('stop', (signal) => stop(parts, run, signal)),
  async onEnd(tx, run, { outcome }) {
    if (outcome !== 'succeeded') return
    const { deployment: id, by } = run.input as RemoveInput
    const row = await store.find(tx, { orgId: run.orgId, projectId: null }, id)
    if (!row) return
    await store.remove(tx, run.orgId, id)
    await submitSettle(tx, parts.transport, { orgId: run.orgId, projectId: run.lane })
    await record(tx, by as Actor, 'deployment.delete', id, { number: row.number, force: true })
  },
  explain: (error) => {
    const { code, message, hint } = error as Error & { code?: unknown; hint?: unknown }
    if (typeof code === 'string' && typeof hint === 'string') return { code, message, hint }
    return {
      code: 'internal',
      message: 'Its services could not be stopped.',
      hint: 'The server’s log has the details.',
    }
  },
})

async function stop(parts: DeployParts, run: Run, signal: AbortSignal): Promise<void> {
  const { deployment: id } = run.input as RemoveInput
  const row = await store.find(parts.db, { orgId: run.orgId, projectId: null }, id)
  // Another release may have taken its place while this one waited: then nothing of it runs.
  if (!row?.active) return
  const { serverId, projectId } = row
  const engine = openEngineTarget(parts, await servers.load(parts.db, run.orgId, serverId))
  await run.write((tx) => setRouted(tx, projectId, null))
  await clearServer(parts, { engine, serverId, projectId }, stopped(), run, signal)
}
