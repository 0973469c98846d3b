import type { Tx } from '../../../db/database.ts'
import type { Run } from '../../../jobs/steps.ts'
import type { DeployContext } from '../deploy-context.ts'
import { append } from '../events/events-store.ts'
import { frozenRelease, wholeActive } from '../release/load-release.ts'
import { mixOf } from '../release/mix.ts'
import { DeployFailure } from '../rows/failure.ts'
import { sealRelease } from '../rows/release.ts'
import { patchService } from '../rows/services-store.ts'
import * as store from '../rows/store.ts'
import type { ServiceOutcome } from './service-steps.ts'

export const DECISION = 'decision'
export type Choice = { action: 'keep' | 'reject' }

/**
 * Some services came up and some did not: those are back on what they were, and someone decides about the rest. That
 * holds the project, but no worker; it waits as long as it takes. Where nothing new came up there is nothing to keep.
 */
export async function decide(context: DeployContext, step: Run['step'], brought: ServiceOutcome[]): Promise<void> {
  const failed = brought.filter(({ came }) => !came)
  const [first] = [...failed.filter(({ error }) => error?.code !== 'dependency_failed'), ...failed]
  if (!first?.error) return
  const { code, message, ...more } = first.error
  if (!brought.some(({ came, changed }) => came && changed))
    throw new DeployFailure({ ...more, code: code as 'crashed', message })
  const { action } = await context.run.gate<Choice>(DECISION, { onPark: (tx) => ask(tx, context, first) })
  if (action === 'reject') {
    const hint = 'All services are as they were before. Correct what failed, and deploy again.'
    throw new DeployFailure({ code: 'rejected', message: `Someone decided against it: ${message}`, hint })
  }
  await step('keep', () => keep(context, brought), {
    onEnd: async (tx, { sealed, images, stayed }: Kept) => {
      await store.update(tx, context.run.id, { release: sealed, images })
      for (const { service, ...was } of stayed) await patchService(tx, context.run.id, service, was)
    },
  })
}

async function ask(tx: Tx, { run }: Pick<DeployContext, 'run'>, { error }: ServiceOutcome): Promise<void> {
  const state = { status: 'partial_failure', decision: 'pending' } as const
  const at = new Date()
  await store.update(tx, run.id, {
    ...state,
    waitingOn: JSON.stringify({ kind: 'decision', since: at.toISOString() }),
    error: JSON.stringify(error),
  })
  await append(tx, run.id, null, [
    { type: 'status', at, data: { ...state, error } },
    { type: 'decision', at, data: { decision: 'pending' } },
  ])
}

/** `stayed`: what runs of those that did not come up. */
type Kept = {
  sealed: string
  images: string[]
  stayed: { service: string; image: string | null; digest: string | null }[]
}

/** What came up, and the others as they were: from here on this is the release. */
async function keep(context: DeployContext, brought: ServiceOutcome[]): Promise<Kept> {
  const { parts, deployment } = context
  const wanted = await frozenRelease(context)
  const before = await wholeActive(context)
  const came = (name: string) => brought.some(({ service, came }) => service === name && came)
  const mixed = mixOf(wanted, before, came)
  const rows = (await store.load(parts.db, deployment.orgId, deployment.id)).services
  const stayed = rows
    .filter(({ name }) => !came(name))
    .map(({ name, previousDigest }) => ({
      service: name,
      image: before.services.find(({ service }) => service === name)?.image ?? null,
      digest: previousDigest,
    }))
  return { sealed: sealRelease(parts, deployment.id, mixed), images: mixed.services.map(({ image }) => image), stayed }
}
