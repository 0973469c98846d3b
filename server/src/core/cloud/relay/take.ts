import { RelayedDelivery, RelayGap } from '@slipway/contract/relay'
import { transaction } from '../../../db/database.ts'
import type { RelayParts } from './parts.ts'
import type { SentEvent } from './read-events.ts'
import * as store from './relay-store.ts'

/** In one transaction: enough to be fast, few enough that whoever waits for a head waits shortly. */
const MOST_AT_ONCE = 100

/** What came is not what comes next, or somebody else goes on: this connection is of no use any more. */
export class OutOfOrder extends Error {}

/**
 * Takes what the cloud says, in its order. The number is kept in the transaction that stores the delivery, and only if it is the one after
 * the last: a connection that breaks anywhere is one that goes on from there. Answers with the newest number taken.
 */
export async function take(
  parts: RelayParts,
  link: store.Followed,
  seen: number,
  events: SentEvent[],
): Promise<number> {
  let last = seen
  for (const some of stepsIn(events, seen)) {
    await transaction(parts.db, async (tx) => {
      if (!(await store.advance(tx, link, last, some.to))) throw new OutOfOrder('another process goes on')
      await parts.relayed.store(tx, { orgId: link.orgId, hookKey: `cloud:${link.linkId}` }, some.deliveries)
      if (some.missed) await parts.relayed.lookAtAll(tx, link.orgId)
    })
    last = some.to.number
    parts.relayed.told()
  }
  return last
}

type Step = { to: store.Cursor; deliveries: RelayedDelivery[]; missed: boolean }

/** What is taken together. A gap is taken alone, and so is what cannot be read: nobody knows what it has told. */
function stepsIn(events: SentEvent[], seen: number): Step[] {
  const steps: Step[] = []
  let at = seen
  for (const { id, event, data } of events) {
    if (event === 'gap') {
      const { next, mark = null } = RelayGap.parse(JSON.parse(data))
      at = next - 1
      steps.push({ to: { number: at, mark }, deliveries: [], missed: true })
    }
    if (event !== 'delivery' || Number(id) <= at) continue
    if (Number(id) !== at + 1) throw new OutOfOrder(`${id} came after ${at}`)
    at += 1
    const delivery = deliveryIn(data)
    const last = steps.at(-1)
    const to = { number: at, mark: delivery?.mark ?? null }
    if (delivery === null) steps.push({ to, deliveries: [], missed: true })
    else if (!last || last.missed || last.deliveries.length >= MOST_AT_ONCE)
      steps.push({ to, deliveries: [delivery], missed: false })
    else Object.assign(last, { to, deliveries: [...last.deliveries, delivery] })
  }
  return steps
}

function deliveryIn(data: string): RelayedDelivery | null {
  try {
    return RelayedDelivery.safeParse(JSON.parse(data)).data ?? null
  } catch {
    return null
  }
}
