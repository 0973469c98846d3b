export const DEPLOYMENT_STATUSES = [
  'queued',
  'building',
  'deploying',
  'ready',
  'failed',
  'cancelled',
  'partial_failure',
  'rejected',
  'superseded',
] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]

export const DECISIONS = ['pending', 'kept', 'rejected'] as const
export type Decision = (typeof DECISIONS)[number]

/** How a deployment was begun. */
export const TRIGGERS = ['manual', 'push', 'upload', 'redeploy', 'rollback', 'adopt', 'promote'] as const

/** What the rules below look at. */
export type DeploymentState = {
  status: DeploymentStatus
  decision: Decision | null
  active: boolean
  pinned: boolean
  /** It waits for an answer to a question (a build gate). */
  prompted: boolean
  /** Someone asked for it to stop and it has not ended yet. */
  cancelling: boolean
  /** Something is still done for it: until then it cannot go. */
  open?: boolean
  /** The engine of its server has never run it. */
  unknown?: boolean
}

const RUNNING: ReadonlySet<DeploymentStatus> = new Set(['queued', 'building', 'deploying'])

export const isFinished = (status: DeploymentStatus) => !RUNNING.has(status)

/** It became a release of its project at some time, so its artifact can be brought back. */
export const wasReleased = (d: Pick<DeploymentState, 'status' | 'decision'>) =>
  d.status === 'ready' || d.decision === 'kept'

export type Verdict = { allowed: boolean; reason: string | null }
const yes: Verdict = { allowed: true, reason: null }
const no = (reason: string): Verdict => ({ allowed: false, reason })

/** The one table of what may be done to a deployment in which state; permissions come on top. */
export const can = {
  build: (d: DeploymentState): Verdict =>
    d.status === 'queued' ? yes : no(`It is ${d.status}; only a queued deployment can be started.`),
  respond: (d: DeploymentState): Verdict => (d.prompted ? yes : no('It does not wait for an answer.')),
  cancel: (d: DeploymentState): Verdict => {
    if (isFinished(d.status)) return no(`It has ended already: ${d.status}.`)
    return d.cancelling ? no('It is being cancelled already.') : yes
  },
  decide: (d: DeploymentState): Verdict => (d.decision === 'pending' ? yes : no('It does not await a decision.')),
  redeploy: (d: DeploymentState): Verdict => (isFinished(d.status) ? yes : no('It has not ended yet.')),
  rollback: (d: DeploymentState): Verdict => {
    if (d.active) return no('It is the active release already.')
    return wasReleased(d) ? yes : no(`It never became a release: ${d.status}.`)
  },
  pin: (d: DeploymentState): Verdict =>
    wasReleased(d) ? yes : no('Only a deployment that became a release can be pinned.'),
  restart: (d: DeploymentState): Verdict => {
    if (d.unknown) return no('The engine of its server has never run it; redeploy it instead.')
    return d.active ? yes : no('It is not the active release.')
  },
  remove: (d: DeploymentState): Verdict => {
    if (d.decision === 'pending') return no('It awaits a decision; keep or reject it first.')
    if (!isFinished(d.status) || d.open) return no('It is still running; cancel it first.')
    return d.active ? no('It is the active release; add ?force=true to stop its services.') : yes
  },
} as const
export type DeploymentAction = keyof typeof can
