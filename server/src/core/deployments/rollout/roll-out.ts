import type { DeploymentError, DeploymentService } from '@slipway/contract/deployment-shape'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Run } from '../../../jobs/steps.ts'
import { claimServer } from '../../servers/claim.ts'
import { guardOnce } from '../../servers/guard-machines.ts'
import type { Frozen } from '../parts.ts'
import { activeRelease } from '../release/load-release.ts'
import { openRelease, type Release } from '../release/release.ts'
import { DeployFailure } from '../rows/failure.ts'
import { patchService } from '../rows/services-store.ts'
import type { Because, DeployContext } from '../story/deploy-context.ts'
import { explainStep } from '../story/explain-step.ts'
import { bringUp } from './bring-up.ts'
import { orderOf } from './exclusive.ts'
import { ensureGround } from './ground.ts'
import { inDependencyOrder } from './in-dependency-order.ts'
import { putBack, putBackOne } from './put-back.ts'
import { openBothDoors } from './switch-routes.ts'

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

/** Services whose containers change at the same time. */
const AT_ONCE = 4

/**
 * Brings the frozen release up, service by service: each when those it waits for are there, several at a time. Of several,
 * one that fails is back on what it was before when its step ends, and the others go on.
 */
export async function rollOut(
  context: DeployContext,
  step: Run['step'],
  { sealed }: Frozen,
): Promise<ServiceOutcome[]> {
  // As it was frozen: what somebody has decided to keep of it is another, and the steps are those of the first.
  const release = openRelease(context.parts, context.deployment.id, sealed)
  const { services } = release
  const ground = once((signal: AbortSignal) => prepareGround(context, release, signal))
  const undo = (signal: AbortSignal, _: unknown, because: Because) => putBack(context, signal, because)
  const [only, ...others] = release.services
  if (only && others.length === 0) {
    const since = context.run.since('rollout')
    await step('rollout', (signal) => ground(signal).then(() => bringUp(context, only, services, signal, since)), {
      undo,
    })
    return [{ service: only.service, came: true, changed: true, status: 'healthy', error: null }]
  }
  const one = (spec: ServiceSpec): Promise<ServiceOutcome> => {
    const name = `rollout:${spec.service}`
    return step<ServiceOutcome>(
      name,
      (signal) => ground(signal).then(() => attempt(context, spec, services, { step: name, signal })),
      {
        undo,
        onEnd: (tx, { service, status, error }) => patchService(tx, context.run.id, service, { status, error }),
      },
    )
  }
  const held = async (spec: ServiceSpec, by: string): Promise<ServiceOutcome> => {
    const brought = await skippedByDependency(context, spec, by)
    const { service, status, error } = brought
    await context.run.write((tx) => patchService(tx, context.run.id, service, { status, error }))
    return brought
  }
  const order = orderOf(release, await activeRelease(context))
  return inDependencyOrder(order.services, { after: order.after, most: AT_ONCE, one, held })
}

/** Its failure is an answer, not an end: others of its release may be fine. */
async function attempt(
  context: DeployContext,
  spec: ServiceSpec,
  services: ServiceSpec[],
  { step, signal }: { step: string; signal: AbortSignal },
): Promise<ServiceOutcome> {
  const { service } = spec
  const changed = spec.deployment === context.deployment.id
  // One that ran to its end does not run again for being looked at.
  if (!changed && spec.job) return { service, came: true, changed, status: 'healthy', error: null }
  try {
    await bringUp(context, spec, services, signal, context.run.since(step))
    return { service, came: true, changed, status: 'healthy', error: null }
  } catch (error) {
    const told = await explainStep(context, { step, signal }, error)
    if (!(told instanceof DeployFailure) || signal.aborted) throw told
    return {
      service,
      came: false,
      changed,
      status: await putBackOne(context, spec, services, signal),
      error: told.error,
    }
  }
}

/** Not begun, because what it waits for is not there: it is as it was. */
async function skippedByDependency(context: DeployContext, spec: ServiceSpec, by: string): Promise<ServiceOutcome> {
  const { service } = spec
  const before = (await activeRelease(context)).some((one) => one.service === service)
  const error: DeploymentError = {
    code: 'dependency_failed',
    step: 'rollout',
    service,
    message: `It waits for ${by}, which did not come up.`,
    hint: `See what became of ${by}.`,
    logSeq: null,
  }
  // What nothing was to be done to is as the release wants it.
  if (spec.deployment !== context.deployment.id)
    return { service, came: true, changed: false, status: 'healthy', error: null }
  return { service, came: false, changed: true, status: before ? 'restored' : 'removed', error }
}

/** What the services stand on: a server that is ours, and the networks that they share. */
async function prepareGround(context: DeployContext, release: Release, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, server } = context
  const { orgId: org, projectId: project } = deployment
  await claimServer(parts, server, signal)
  await guardOnce(parts, server, signal)
  await ensureGround(parts, { engine, org, project, release }, signal)
  await openBothDoors(context, release, signal)
}

function once<T>(work: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let begun: Promise<T> | undefined
  return (signal) => {
    begun ??= work(signal)
    return begun
  }
}
