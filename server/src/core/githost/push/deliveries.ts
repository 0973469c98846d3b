import type { GithostDelivery, ListDeliveries } from '@slipway/contract/githost-deliveries'
import { transaction } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import { type Caller, requirePermission } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { toPage } from '../../page.ts'
import { type GithostParts, sourcesOf } from '../sources.ts'
import type { PushParts } from './ask-host.ts'
import * as store from './delivery-store.ts'
import * as heads from './head-store.ts'
import { settle } from './settle.ts'

export async function listDeliveries(parts: GithostParts, caller: Caller, query: ListDeliveries) {
  const { rows, reached } = await store.list(parts.db, await viewerOf(parts, caller), query)
  return toPage(rows, query, ({ id }) => id, shown, reached)
}

const viewerOf = async (parts: GithostParts, caller: Caller) => ({
  ...caller,
  keys: (await sourcesOf(parts, caller.orgId)).map(({ key }) => key),
})

export const showDelivery = async (parts: GithostParts, caller: Caller, id: string) =>
  shown(await required(parts, caller, id))

async function required(parts: GithostParts, caller: Caller, id: string): Promise<store.DeliveryRow> {
  const row = await store.find(parts.db, await viewerOf(parts, caller), id)
  if (!row) throw notFound('delivery')
  return row
}

/** Decides anew from the head as it is now, never from what an old delivery says. */
export async function replay(parts: PushParts, caller: Caller, id: string, signal: AbortSignal) {
  requirePermission(caller, 'deployment:write')
  const { repoId, ref, repository, after } = await required(parts, caller, id)
  if (repoId === null || ref === null)
    throw new Refusal('not_now', 'It is about no branch, so there is nothing to decide.', { field: 'id' })
  const key = { orgId: caller.orgId, host: parts.config.githost.host, repoId, ref }
  const made = await transaction(parts.db, async (tx) => {
    await heads.mark(tx, [key], { told: false, ask: true })
    const head = await heads.lock(tx, key)
    if (!head) throw notFound('branch')
    const row = store.found(head, 'replay', Number(head.seq))
    await store.insert(tx, { ...row, repository, after: head.sha ?? after, pusher: caller.userName })
    for (const one of await heads.following(tx, key)) await heads.saveProject(tx, key, one.id, Number(head.seq) - 1)
    await record(tx, caller, 'githost.delivery.replay', id, { repository, ref })
    return row.id
  })
  await settle(parts, signal, key)
  const { decision, reason, deploymentId } = shown(await required(parts, caller, made))
  return { success: true as const, decision, reason, deploymentId }
}

function shown(row: store.DeliveryRow): GithostDelivery {
  const { id, via, event, action, repository, ref, before, after, pusher, projectId, reason, deploymentId, attempts } =
    row
  return {
    ...{ id, via, event, action, repository, ref, before, after, pusher, projectId, reason, deploymentId, attempts },
    receivedAt: row.receivedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decision: row.decision ?? 'waiting',
  }
}
