import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { TRIGGERS } from '@slipway/contract/deployment-states'
import type { Tx } from '../../../db/database.ts'
import type { StoredRequest } from '../../../db/deployment-tables.ts'
import { newId } from '../../../db/ids.ts'
import { type Superseded, submit } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { type RestartInput, tell } from '../converge/restart.ts'
import { append } from '../events/events-store.ts'
import { type Overrides, sealOverrides } from '../rows/overrides.ts'
import * as store from '../rows/store.ts'

export type NewDeployment = {
  /** Where it has one already. */
  id?: string
  project: { id: string; orgId: string }
  serverId: string
  trigger: (typeof TRIGGERS)[number]
  source: DeploymentSource
  request: StoredRequest
  /** What it carries for itself alone. */
  overrides?: Overrides | null
}

/** Nobody of ours asked for it: somebody pushed. */
export type Pusher = { kind: 'push'; name: string; orgId: string }

const creatorIn = (caller: Caller | Pusher) =>
  caller.kind === 'push'
    ? { kind: caller.kind, name: caller.name }
    : {
        kind: caller.kind === 'token' ? 'token' : 'user',
        name: caller.userName,
        ...(caller.client !== null && { client: caller.client }),
      }

/** The deployment, its run, its first event and its audit entry: all of them or none. Newer source takes the place of older that waits. */
export async function submitDeployment(
  tx: Tx,
  { transport, keys }: Pick<BaseParts, 'transport' | 'keys'>,
  caller: Caller | Pusher,
  wanted: NewDeployment,
) {
  const { project, serverId, trigger, source, request, overrides = null } = wanted
  const id = wanted.id ?? newId('dep')
  const number = await store.nextNumber(tx, project.id)
  const superseded = await submit(tx, transport, {
    id,
    lane: project.id,
    kind: 'deploy',
    orgId: project.orgId,
    input: {},
    // Who goes back does so because what runs is bad.
    urgency: trigger === 'rollback' ? 'emergency' : 'usual',
    supersede: ['deploy', 'restart'],
  })
  for (const old of superseded) await supersede(tx, project.orgId, old, id)
  await store.insert(tx, {
    id,
    orgId: project.orgId,
    projectId: project.id,
    serverId,
    number,
    status: 'queued',
    decision: null,
    trigger,
    source: JSON.stringify(source),
    request: JSON.stringify(request),
    overrides: overrides && sealOverrides({ keys }, id, overrides),
    branch: source.branch ?? null,
    release: null,
    logLines: 0,
    createdBy: JSON.stringify(creatorIn(caller)),
  })
  await append(tx, id, null, [{ type: 'status', at: new Date(), data: { status: 'queued' } }])
  const own = overrides && {
    services: overrides.services.map(({ name }) => name),
    hosts: overrides.names.map(({ host }) => host),
  }
  const detail = { projectId: project.id, number, trigger, source: source.kind, ...(own && { only: own }) }
  const actor = caller.kind === 'push' ? { ...caller, kind: 'system' as const } : caller
  await record(tx, actor, 'deployment.create', id, detail)
  return { success: true as const, deployment_id: id, project_id: project.id }
}

async function supersede(tx: Tx, orgId: string, { id: old, kind, input }: Superseded, by: string): Promise<void> {
  // What was to be restarted gets new containers now, or stays as it is if those come to nothing.
  if (kind === 'restart')
    return tell(tx, orgId, (input as RestartInput).deployment, () => ({ status: 'healthy', error: null }))
  const at = new Date()
  await store.update(tx, old, { status: 'superseded', finishedAt: at, supersededBy: by })
  await append(tx, old, null, [
    { type: 'status', at, data: { status: 'superseded', by } },
    { type: 'end', at, data: { status: 'superseded' } },
  ])
}
