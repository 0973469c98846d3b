import { Deployment } from '@slipway/contract/deployment-shape'
import { deployments } from '@slipway/contract/deployments'
import { transaction } from '../../../db/database.ts'
import type { Answered } from '../../../drivers/cloud-forward/passage.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import * as store from '../deployments-store.ts'
import { isOwnWord } from '../own-word.ts'
import type { Call } from '../parts.ts'
import * as writes from './store.ts'

type Parts = Pick<BaseParts, 'db'>
type Noted = { stub: store.Stub; call: Call; write: writes.Write }

const ACTION = 'deployment.forward'
const routeOf = ({ method, route }: Pick<Call, 'method' | 'route'>) => `${method} ${route}`
const is = (call: Call, { method, path: route }: { method: string; path: string }) =>
  routeOf(call) === routeOf({ method, route })

/** Who did it, and what it has made or taken away there. */
export async function noteWrite(parts: Parts, caller: Caller, noted: Noted, answer: Answered): Promise<void> {
  const { stub, call, write } = noted
  const { orgId } = caller
  const removed = is(call, deployments.remove) && (answer.status < 400 || isGone(answer))
  // It may have been done all the same, or go on.
  if (answer.status >= 500 || (is(call, deployments.remove) && answer.status === 409))
    return writes.setLost(parts.db, write)
  if (answer.status >= 400 && !removed) return writes.end(parts.db, write)
  const shown = 'body' in answer ? deploymentIn(answer.body) : null
  await transaction(parts.db, async (tx) => {
    if (removed) await store.remove(tx, orgId, stub.id)
    else if (shown?.id === stub.id) await store.see(tx, orgId, [shown])
    else if (shown !== null) await store.insert(tx, { orgId, projectId: stub.projectId, shown: [shown] })
    await writes.end(tx, write)
    await record(tx, caller, ACTION, stub.id, {
      route: routeOf(call),
      status: answer.status,
      ...(shown !== null && shown.id !== stub.id && { made: shown.id }),
    })
  })
}

/** Nobody knows whether it was done: it may have been, and is asked about from now on. */
export async function noteLost(parts: Parts, caller: Caller, { stub, call, write }: Noted): Promise<void> {
  await transaction(parts.db, async (tx) => {
    await writes.setLost(tx, write)
    await record(tx, caller, ACTION, stub.id, { route: routeOf(call), status: null })
  })
}

/**
 * A look that found nothing: somebody deleted it there. Only its own organization knows, and one that a promotion is about to make is not
 * there yet.
 */
export async function noteGone(
  parts: Parts,
  { orgId }: Caller,
  { stub, call }: Omit<Noted, 'write'>,
  answer: Answered,
) {
  if (stub.cloudOrgId === null || !is(call, deployments.show) || !isGone(answer)) return
  await store.dropGone(parts.db, { orgId, cloudOrgId: stub.cloudOrgId, ids: [stub.id] })
}

/** Gateways answer so, too, and know nothing of it. */
const isGone = (answer: Answered) =>
  answer.status === 404 && isOwnWord(answer) && 'body' in answer && fieldIn(answer.body, 'code') === 'not_found'

/** What acts on deployments answers with one: the same, or the one that it has made. */
const deploymentIn = (body: Buffer): Deployment | null => Deployment.safeParse(fieldIn(body, 'deployment')).data ?? null

function fieldIn(body: Buffer, name: string): unknown {
  try {
    return (Object(JSON.parse(body.toString('utf8'))) as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}
