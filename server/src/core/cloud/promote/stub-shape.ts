import type { Deployment, DeploymentError, DeploymentSource } from '@slipway/contract/deployment-shape'
import { can } from '@slipway/contract/deployment-states'
import type { Caller } from '../../access/caller.ts'

type Asked = { id: string; projectId: string; number: number; source: DeploymentSource; message: string | null }

/** What is shown of a deployment while the cloud does not know it. */
export const asQueued = ({ kind, userName: name, client }: Caller, asked: Asked): Deployment => ({
  ...asked,
  ...{ status: 'queued', decision: null, active: false, unknown: null, pinned: false, trigger: 'promote' },
  ...{ urls: [], services: [], steps: [], waitingOn: null, error: null },
  timing: {
    ...{ createdAt: new Date().toISOString(), startedAt: null, builtAt: null, finishedAt: null },
    ...{ queuedMs: null, buildMs: null, deployMs: null },
  },
  createdBy: { kind: kind === 'token' ? 'token' : 'user', name, client },
  actions: only('cancel', 'It is on its way to the hosted cloud.'),
})

type End = { status: 'failed' | 'cancelled'; error: DeploymentError | null }

/** Of one that never came there, or was taken back from there. */
export const asEnded = (shown: Deployment, { status, error }: End): Deployment => ({
  ...shown,
  ...{ status, decision: null, active: false, waitingOn: null, error },
  timing: { ...shown.timing, finishedAt: new Date().toISOString() },
  actions: ONLY_REMOVE,
})

const only = (act: keyof typeof can, reason: string): Deployment['actions'] =>
  Object.fromEntries(
    Object.keys(can).map((name) => [name, name === act ? { allowed: true, reason: null } : { allowed: false, reason }]),
  )

export const ONLY_REMOVE = only('remove', 'The hosted cloud has nothing of it.')
