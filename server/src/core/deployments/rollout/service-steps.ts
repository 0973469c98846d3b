import type { DeploymentError, DeploymentService } from '@slipway/contract/deployment-shape'
import type { Run, StepOptions } from '../../../jobs/steps.ts'
import type { Fate } from '../converge/planning/operation.ts'
import { patchService } from '../rows/services-store.ts'

/** What became of one service, and where it is now. */
export type ServiceOutcome = {
  service: string
  /** It is as the release wants it. */
  came: boolean
  /** The release wants it otherwise than it was before. */
  changed: boolean
  status: DeploymentService['status']
  error: DeploymentError | null
}

type Kept = {
  run: Pick<Run, 'id' | 'begun' | 'since'>
  step: Run['step']
  services: string[]
  undo: NonNullable<StepOptions<unknown>['undo']>
}

type Opened = {
  begun: Promise<void>
  end: PromiseWithResolvers<ServiceOutcome>
  ended: Promise<ServiceOutcome>
  /** An owner before this one has come to its end. */
  isReplayed(): boolean
}

/** The steps of a rollout in the journal: `rollout`, or one for each service, open from its first operation to its fate. */
export function serviceSteps({ run, step, services, undo }: Kept) {
  const open = new Map<string, Opened>()
  const isAlone = services.length === 1
  const nameOf = (service: string) => (isAlone ? 'rollout' : `rollout:${service}`)

  function opened(service: string) {
    const known = open.get(service)
    if (known) return known
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<ServiceOutcome>()
    let acts = false
    const action = () => {
      acts = true
      begun.resolve()
      return end.promise
    }
    const options: StepOptions<ServiceOutcome> = {
      undo,
      onEnd: (tx, { status, error }) => patchService(tx, run.id, service, { status, error }),
    }
    const ended = isAlone
      ? step('rollout', () => action().then(() => undefined), { undo }).then(() => asItShould(service))
      : step<ServiceOutcome>(nameOf(service), action, options)
    // A step that was ended by an owner before needs no action.
    ended.then(() => begun.resolve(), begun.reject)
    for (const promise of [end.promise, begun.promise, ended]) promise.catch(() => {})
    const made = { begun: begun.promise, end, ended, isReplayed: () => !acts }
    open.set(service, made)
    return made
  }

  return {
    nameOf,
    /** When an owner before this one began it. */
    since: (service: string) => run.since(nameOf(service)),
    begin: (service: string) => opened(service).begun,
    async end(outcome: ServiceOutcome): Promise<void> {
      const { end, ended } = opened(outcome.service)
      end.resolve(outcome)
      await ended
    },
    /** What owners before this one have ended; what they have begun is open again, to be undone if it comes to that. */
    async replay(): Promise<Map<string, ServiceOutcome>> {
      const known = new Map<string, ServiceOutcome>()
      // All of them first: what is not opened is not undone.
      const mine = services.filter((one) => run.begun(nameOf(one))).map((service) => ({ service, ...opened(service) }))
      for (const { service, begun, ended, isReplayed } of mine) {
        await begun
        if (isReplayed()) known.set(service, await ended)
      }
      return known
    },
    /** Ends what is open with what has stopped the rollout; and says what is told of that. */
    async abandon(error: unknown): Promise<unknown> {
      for (const { end } of open.values()) end.reject(error)
      const ends = await Promise.allSettled([...open.values()].map(({ ended }) => ended))
      const told = ends.find((end) => end.status === 'rejected')
      return told ? told.reason : error
    },
  }
}

export const asItShould = (service: string, changed = true): ServiceOutcome => ({
  ...{ service, came: true, changed, status: 'healthy', error: null },
})

/** What an outcome in the journal says to a plan. */
export function fateIn({ came, status, error }: ServiceOutcome, job: boolean): Fate | undefined {
  if (came) return 'came'
  // Not begun because of another, whose own fate says so.
  if (error?.code === 'dependency_failed') return undefined
  if (status === 'restored') return 'back'
  return status === 'failed' && !job ? 'lost' : 'failed'
}
