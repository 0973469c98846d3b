import { can } from '@slipway/contract/deployment-states'
import { type Tx, transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { cancel, respond } from '../../../jobs/enqueue.ts'
import { type Caller, requirePermission } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { requireDeployable } from '../../uploads/mode.ts'
import * as uploads from '../../uploads/store.ts'
import { scheduleSettle } from '../converge/schedule-settle.ts'
import { append } from '../events/events-store.ts'
import { overridesOf } from '../rows/overrides.ts'
import { shape, stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'
import { allowed, requireDeployment } from './find.ts'
import { submitDeployment } from './submit.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'changes' | 'keys' | 'config'>
const MOST_PINS = 10

/** An accepted cancel wins: whatever the run was about to do, it ends as cancelled. */
export async function cancelDeployment(parts: Parts, caller: Caller, id: string) {
  const deployment = await transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requirePermission(caller, 'deployment:admin')
    allowed(can.cancel(stateOf(row)))
    const done = await cancel(tx, parts.transport, { orgId: caller.orgId, id, endParked: true })
    if (done === null) throw new Refusal('not_now', 'It is ending already.')
    const at = new Date()
    const over = done === 'cancelled'
    const end = { status: 'cancelled', finishedAt: at, waitingOn: null } as const
    await store.update(tx, id, over ? end : { cancelling: true, waitingOn: null })
    // At a gate an image may have been built already.
    if (over && row.images.length > 0) await scheduleSettle(tx, parts.transport, row)
    const data = { status: over ? 'cancelled' : row.status, cancelling: !over }
    await append(tx, id, null, [
      { type: 'status', at, data },
      ...(over ? [{ type: 'end' as const, at, data: { status: 'cancelled' } }] : []),
    ])
    await record(tx, caller, 'deployment.cancel', id)
    return requireDeployment(tx, caller, id)
  })
  parts.changes.send(id)
  return { success: true as const, deployment: shape(deployment, caller) }
}

export async function respondToPrompt(
  parts: Parts,
  caller: Caller,
  id: string,
  answer: { promptId: string; action: 'approve' | 'reject'; value?: string | undefined },
) {
  const deployment = await transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    allowed(can.respond(stateOf(row)))
    const taken = await respond(tx, parts.transport, {
      orgId: caller.orgId,
      id,
      gate: answer.promptId,
      answer: { action: answer.action },
    })
    if (!taken)
      throw new Refusal('not_now', `It waits for ${row.waitingOn?.promptId ?? 'nothing'}, not for ${answer.promptId}.`)
    await store.update(tx, id, { waitingOn: null })
    await append(tx, id, null, [
      { type: 'prompt', at: new Date(), data: { promptId: answer.promptId, action: answer.action } },
    ])
    await record(tx, caller, 'deployment.respond', id, { promptId: answer.promptId, action: answer.action })
    return requireDeployment(tx, caller, id)
  })
  parts.changes.send(id)
  return { success: true as const, deployment: shape(deployment, caller) }
}

export async function pinDeployment({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string, pinned: boolean) {
  return transaction(db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    if (pinned) allowed(can.pin(stateOf(row)))
    if (pinned && !row.pinned && (await store.countPinned(tx, row.projectId)) >= MOST_PINS) {
      throw new Refusal('not_now', `A project can have at most ${MOST_PINS} pinned deployments.`, {
        hint: 'Unpin another one first.',
      })
    }
    await store.update(tx, id, { pinned })
    await record(tx, caller, pinned ? 'deployment.pin' : 'deployment.unpin', id)
    return { success: true as const, deployment: shape({ ...row, pinned }, caller) }
  })
}

/** A queued deployment starts by itself as soon as its project is free; asking again wakes whoever should be at it. */
export async function startBuild(parts: Parts, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    allowed(can.build(stateOf(row)))
    await parts.transport.wake(tx, row.projectId)
    await record(tx, caller, 'deployment.build', id)
    return { success: true as const, deployment: shape(row, caller) }
  })
}

export async function redeploy(parts: Parts, caller: Caller, id: string, useExistingCommit: boolean) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    allowed(can.redeploy(stateOf(row)))
    const project = await requireProject(tx, caller, row.projectId)
    const { commitSha, commitMessage, ...source } = row.source
    // What it was asked for the last time, but not which commit or which release: those are said anew.
    const { useCommit: _, rollbackOf: __, ...asked } = row.request
    if (source.kind === 'upload') await requireSession(tx, parts, caller, source.uploadSessionId)
    if (useExistingCommit && source.kind === 'git' && commitSha === undefined) throw noCommit()
    const exact = useExistingCommit && commitSha !== undefined
    const request = { ...asked, ...(exact && { useCommit: commitSha }) }
    const started = await submitDeployment(tx, parts, caller, {
      project,
      serverId: row.serverId,
      trigger: 'redeploy',
      source: exact && commitMessage !== undefined ? { ...source, commitMessage } : source,
      request,
    })
    return withDeployment(tx, caller, started)
  })
}

async function requireSession(tx: Tx, { config }: Pick<BaseParts, 'config'>, { orgId }: Caller, id = '') {
  requireDeployable(config, await uploads.find(tx, { orgId, projectId: null }, id))
}

const noCommit = () =>
  new Refusal('not_now', 'It never came as far as a commit, so there is none to build again.', {
    field: 'useExistingCommit',
    hint: 'Redeploy without useExistingCommit to build the latest commit of the branch.',
  })

/** A rollback is a deployment of its own: the artifact and frozen configuration of the old one, without a build. */
export async function rollback(parts: Parts, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requirePermission(caller, 'deployment:admin')
    allowed(can.rollback(stateOf(row)))
    const project = await requireProject(tx, caller, row.projectId)
    await store.pauseAutoDeploy(tx, project.id)
    const request = { ...row.request, rollbackOf: id }
    const started = await submitDeployment(tx, parts, caller, {
      project,
      serverId: row.serverId,
      trigger: 'rollback',
      source: row.source,
      request,
      overrides: row.overrides === null ? null : overridesOf(parts, row),
    })
    return withDeployment(tx, caller, started)
  })
}

async function withDeployment<Started extends { deployment_id: string }>(tx: Tx, caller: Caller, started: Started) {
  return { ...started, deployment: shape(await requireDeployment(tx, caller, started.deployment_id), caller) }
}
