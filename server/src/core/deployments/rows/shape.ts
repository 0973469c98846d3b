import type { Deployment } from '@slipway/contract/deployment-shape'
import { can, type DeploymentAction, type DeploymentState } from '@slipway/contract/deployment-states'
import { deployments } from '@slipway/contract/deployments'
import type { Permission } from '@slipway/contract/permissions'
import type { StoredActor } from '../../../db/deployment-tables.ts'
import { type Caller, may } from '../../access/caller.ts'
import { commitUrlOf } from './commit-url.ts'
import { ranOn } from './engine-of-release.ts'
import { waitingOf } from './questions.ts'
import { stepsOf } from './steps.ts'
import type { DeploymentRow } from './store.ts'

export const actorOf = ({ kind, userName }: Caller): StoredActor => ({
  kind: kind === 'token' ? 'token' : 'user',
  name: userName,
  at: new Date().toISOString(),
})

/** What a caller must hold for each act, on top of what the state allows. */
const NEEDS: Record<DeploymentAction, Permission> = {
  build: 'deployment:write',
  respond: 'deployment:write',
  cancel: deployments.cancel.alsoNeeds,
  decide: 'deployment:write',
  redeploy: 'deployment:write',
  rollback: deployments.rollback.alsoNeeds,
  pin: 'deployment:write',
  restart: 'deployment:write',
  remove: 'deployment:admin',
}

export const stateOf = (row: Omit<DeploymentRow, 'steps'>): DeploymentState => ({
  status: row.status,
  decision: row.decision,
  active: row.active,
  pinned: row.pinned,
  prompted: row.waitingOn?.kind === 'prompt',
  cancelling: row.cancelling,
  open: row.status === 'partial_failure' && row.finishedAt === null,
  unknown: isUnknown(row),
})

/** Another engine answers at the address of its server than the one that ran it: its status is history. */
const isUnknown = ({ active, ...row }: Omit<DeploymentRow, 'steps'>) => active && !ranOn(row, row.serverEngine)

const UNKNOWN = {
  reason: 'This engine has never run it: the server has another one than when it was rolled out.',
  hint: 'Redeploy it; after a move, `slipway setup bring-back` does so for all that was live.',
}

/** What is written down of services that came up is no word about an engine that never had them. */
const servicesOf = (row: Omit<DeploymentRow, 'steps'>): Deployment['services'] =>
  isUnknown(row)
    ? row.services.map((one) => (CAME.includes(one.status) ? { ...one, status: 'unknown' as const } : one))
    : row.services

const CAME: readonly string[] = ['healthy', 'restored']

/** Of what the state allows, what the caller may do. */
export function withinPermissions(actions: Deployment['actions'], caller: Caller): Deployment['actions'] {
  const narrowed = Object.entries(actions).map(([name, verdict]) => {
    const needed = NEEDS[name as DeploymentAction] as Permission | undefined
    const held = needed === undefined || may(caller, needed)
    return [name, held ? verdict : { allowed: false, reason: `This needs the permission ${needed}.` }]
  })
  return Object.fromEntries(narrowed)
}

export function shape(row: DeploymentRow, caller: Caller): Deployment {
  const state = stateOf(row)
  const actions = Object.fromEntries(Object.entries(can).map(([name, rule]) => [name, rule(state)]))
  return {
    id: row.id,
    projectId: row.projectId,
    project: { id: row.projectId, name: row.projectName },
    server: row.serverName === null ? null : { id: row.serverId, name: row.serverName },
    number: row.number,
    status: row.status,
    decision: row.decision,
    active: row.active,
    unknown: state.unknown ? UNKNOWN : null,
    pinned: row.pinned,
    trigger: row.trigger,
    source: row.source,
    commitUrl: commitUrlOf(row.source),
    urls: row.urls,
    services: servicesOf(row),
    timing: timingOf(row),
    steps: stepsOf(row),
    waitingOn: waitingOf(row),
    ...storyOf(row),
    error: row.error,
    message: row.request.message ?? null,
    createdBy: { client: null, ...row.createdBy },
    actions: withinPermissions(actions, caller),
  }
}

/** Who and what else was part of it. */
function storyOf(row: DeploymentRow): Partial<Deployment> {
  const other = (id: string | null | undefined) =>
    id ? { id, number: row.others.find((one) => one.id === id)?.number ?? null } : null
  return {
    bakesUntil: row.bakeUntil?.toISOString() ?? null,
    previous: other(row.tookOver),
    rollbackOf: other(row.request.rollbackOf),
    supersededBy: other(row.supersededBy),
    decidedBy: row.decidedBy,
    cancelledBy: row.cancelledBy,
    log: { lines: row.logLines === null ? null : Number(row.logLines), lastSeq: Number(row.nextSeq) },
  }
}

function timingOf(row: DeploymentRow): Deployment['timing'] {
  const { createdAt, startedAt, builtAt, finishedAt } = row
  const between = (from: Date | null, to: Date | null) => (from && to ? to.getTime() - from.getTime() : null)
  return {
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    builtAt: builtAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    queuedMs: between(createdAt, startedAt),
    buildMs: between(startedAt, builtAt),
    deployMs: between(builtAt, finishedAt),
  }
}
