import { setTimeout as pause } from 'node:timers/promises'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { deployments } from '@slipway/contract/deployments'
import type { Endpoint } from '@slipway/contract/endpoint'
import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { cancel } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { withinPermissions } from '../../deployments/rows/shape.ts'
import type { BaseParts } from '../../parts.ts'
import * as stubs from '../deployments-store.ts'
import * as promotions from '../promotion-store.ts'
import { promotionRunning } from './refusals.ts'
import { asEnded, ONLY_REMOVE } from './stub-shape.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'changes'>
type Route = Pick<Endpoint, 'method' | 'path'>
const is = (one: Route, { method, path }: Route) => one.method === method && one.path === path

const MOST_WAIT_MS = 2000

/** What somebody decides while it is on its way: the deployment waits for it. */
const DECIDES = [deployments.respond, deployments.keep, deployments.reject]

/**
 * What is asked of a deployment that a promotion makes, as far as it is answered here: the cloud does not know it yet or not any more, or it
 * is the promotion that is meant. Undefined: the cloud is asked.
 */
export async function answerHere(
  parts: Parts,
  caller: Caller,
  stub: stubs.Stub,
  route: Route,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<unknown> {
  if (stub.promotion === null) return undefined
  const running = stub.promotion === 'running'
  if (running && is(deployments.cancel, route)) return cancelPromotion(parts, caller, stub)
  if (stub.there) {
    if (!running || route.method === 'GET' || DECIDES.some((one) => is(one, route))) return undefined
    throw promotionRunning('The project is being promoted to the hosted cloud, and this would get in the way.')
  }
  if (is(deployments.show, route)) {
    // Whoever waits for an end asks again and again, and not in haste.
    if (running && waitMs > 0) await pause(Math.min(waitMs, MOST_WAIT_MS), undefined, { signal })
    return showHere(parts, caller, stub)
  }
  if (running) throw promotionRunning('The deployment is on its way to the hosted cloud, which does not know it yet.')
  if (is(deployments.remove, route)) return removeHere(parts, caller, stub)
  throw new Refusal('not_now', 'The hosted cloud has nothing of this deployment.', {
    hint: 'GET /api/deployments/:id says how it ended; deploy the project anew.',
  })
}

async function showHere({ db }: Pick<Parts, 'db'>, caller: Caller, stub: stubs.Stub): Promise<Deployment> {
  const { shown, seenAt } = await stubs.load(db, caller.orgId, stub.id)
  const actions = stub.promotion === 'running' ? shown.actions : ONLY_REMOVE
  return { ...shown, actions: withinPermissions(actions, caller), asOf: seenAt.toISOString() }
}

/** An accepted cancel wins: what was made there is taken back, also where that takes until the cloud is back. */
async function cancelPromotion(parts: Parts, caller: Caller, stub: stubs.Stub) {
  const { orgId } = caller
  const { id } = stub
  await transaction(parts.db, async (tx) => {
    const done = await cancel(tx, parts.transport, { orgId, id })
    if (done === null) throw new Refusal('not_now', 'It is ending already.')
    if (done === 'cancelled') {
      await promotions.end(tx, orgId, id, { state: 'cancelled', error: null })
      const { shown } = await stubs.load(tx, orgId, id)
      await stubs.see(tx, orgId, [asEnded(shown, { status: 'cancelled', error: null })])
    }
    await record(tx, caller, 'deployment.cancel', id, { promotion: true })
  })
  parts.changes.send(id)
  return { success: true, deployment: await showHere(parts, caller, stub) }
}

async function removeHere(parts: Parts, caller: Caller, { id, projectId }: stubs.Stub) {
  await transaction(parts.db, async (tx) => {
    await stubs.remove(tx, caller.orgId, id)
    await record(tx, caller, 'deployment.delete', id, { projectId, promotion: true })
  })
  return { success: true }
}
