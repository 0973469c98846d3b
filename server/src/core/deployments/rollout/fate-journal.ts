import type { DeploymentError } from '@slipway/contract/deployment-shape'
import type { Journal } from '../converge/converge.ts'
import { DidNotComeUp } from '../converge/execute.ts'
import { outs } from '../converge/planning/held.ts'
import type { Fates } from '../converge/planning/operation.ts'
import type { Wanted } from '../converge/planning/wanted.ts'
import type { Telling } from '../deploy-context.ts'
import { DeployFailure } from '../rows/failure.ts'
import type { Release } from '../rows/release.ts'
import { patchService } from '../rows/services-store.ts'
import { explainStep } from './explain-step.ts'
import { asItShould, type ServiceOutcome, type serviceSteps } from './service-steps.ts'

type Working = {
  release: Release
  wanted: Wanted
  steps: ReturnType<typeof serviceSteps>
  fates: Fates
  known: Map<string, ServiceOutcome>
}

/** What a rollout learns of its services, as outcomes of their steps. */
export function fateJournal(context: Telling, { release, wanted, steps, fates, known }: Working) {
  const outcomes = new Map(known)
  const errors = new Map<string, DeploymentError>()
  const isAlone = release.services.length === 1
  const changed = (name: string) =>
    wanted.services.some(({ service, deployment }) => service === name && deployment === wanted.deployment)
  const isPart = (name: string) => release.services.some(({ service }) => service === name)
  const hadBefore = (name: string) => wanted.prior.some(({ service, job }) => service === name && !job)
  const isJob = (name: string) => release.services.some(({ service, job }) => service === name && job)

  async function end(outcome: ServiceOutcome): Promise<void> {
    outcomes.set(outcome.service, outcome)
    await steps.end(outcome)
  }
  const failed = (service: string, status: ServiceOutcome['status']): ServiceOutcome => ({
    ...{ service, came: false, changed: changed(service), status, error: errors.get(service) ?? null },
  })

  /** Those that another keeps from being begun are as they were. */
  async function tellHeld(): Promise<void> {
    for (const [service, { by }] of outs(wanted, fates)) {
      if (by === null || outcomes.has(service)) continue
      errors.set(service, heldBack(service, by))
      const before = wanted.prior.some((one) => one.service === service)
      const outcome = failed(service, before ? 'restored' : 'removed')
      outcomes.set(service, outcome)
      const { status, error } = outcome
      await context.run.write((tx) => patchService(tx, context.run.id, service, { status, error }))
    }
  }

  const learn: Journal['learn'] = async (service, fate, why) => {
    if (!isPart(service)) return
    fates[service] = fate
    if (fate === 'came') return end(asItShould(service, changed(service)))
    if (why && !errors.has(service)) {
      const told = await toldAs(context, steps.nameOf(service), why)
      if (isAlone) throw told
      errors.set(service, told.error)
    }
    await tellHeld()
    if (fate === 'back') return end(failed(service, 'restored'))
    if (fate === 'lost') {
      const facts = { err: why, service, deployment: context.run.id }
      context.parts.log.warn(facts, 'a service could not be put back')
      return end(failed(service, 'failed'))
    }
    // What a job did stays done; it has nothing to go back to, unless it has taken the place of a service.
    if (!hadBefore(service)) return end(failed(service, isJob(service) ? 'failed' : 'removed'))
  }

  return {
    fates,
    learn,
    /** When nothing is left to be done: in the order of the release. */
    async outcomes(): Promise<ServiceOutcome[]> {
      await tellHeld()
      for (const { service } of wanted.services) {
        if (outcomes.has(service)) continue
        // One that failed may never have stopped being what it was; what nothing was to be done to is as it is wanted.
        const isBack = fates[service] === 'failed'
        await end(isBack ? failed(service, 'restored') : asItShould(service, changed(service)))
      }
      return wanted.services.flatMap(({ service }) => outcomes.get(service) ?? [])
    },
  }
}

const heldBack = (service: string, by: string): DeploymentError => ({
  code: 'dependency_failed',
  step: 'rollout',
  service,
  message: `It waits for ${by}, which did not come up.`,
  hint: `See what became of ${by}.`,
  logSeq: null,
})

/** In the words that whoever deploys will read. */
async function toldAs(context: Telling, step: string, why: Error): Promise<DeployFailure> {
  const error = why instanceof DidNotComeUp ? why.failure : why
  const told = await explainStep(context, { step, signal: context.run.signal }, error)
  context.run.signal.throwIfAborted()
  if (told instanceof DeployFailure) return told
  return new DeployFailure(
    { code: 'engine_failed', step: 'rollout', message: why.message, hint: 'Look at the server, and deploy again.' },
    { cause: why },
  )
}
