import { type Answer, notFound, ok } from '../answer.ts'
import type { Call } from '../route.ts'
import { type Receiver, redeliver } from './deliver.ts'
import type { Delivery } from './delivery.ts'

const item = (one: Delivery) => ({
  id: one.id,
  guid: one.guid,
  delivered_at: one.deliveredAt,
  redelivery: one.redelivery,
  duration: one.duration,
  status: one.status,
  status_code: one.statusCode,
  event: one.event,
  action: one.action,
  installation_id: one.installationId,
  repository_id: one.repositoryId,
  throttled_at: null,
})

/** The log of a hook, newest first, by cursor. */
export function listDeliveries(call: Call, log: Delivery[]): Answer {
  const size = Math.min(100, Number(call.query('per_page')) || 30)
  const [cursor, wanted] = [call.query('cursor'), call.query('status')]
  const from = cursor === null ? 0 : log.findIndex(({ id }) => `v1_${id}` === cursor)
  const fits = ({ statusCode }: Delivery) => wanted === null || (wanted === 'success') === statusCode < 400
  const found = log.slice(Math.max(0, from)).filter(fits)
  const rest = found[size]
  const next = new URL(call.url)
  if (rest) next.searchParams.set('cursor', `v1_${rest.id}`)
  return ok(found.slice(0, size).map(item), 200, rest ? { link: `<${next}>; rel="next"` } : {})
}

function requireDelivery(call: Call, log: Delivery[]): Delivery {
  const found = log.find(({ id }) => String(id) === call.param('delivery'))
  if (!found) throw notFound()
  return found
}

export function showDelivery(call: Call, log: Delivery[]): Answer {
  const found = requireDelivery(call, log)
  const request = { headers: found.headers, payload: found.payload }
  return ok({ ...item(found), url: found.url, request, response: found.response })
}

export function repeatDelivery(call: Call, receiver: Receiver): Answer {
  redeliver(call.host, receiver, requireDelivery(call, receiver.log))
  return ok({}, 202)
}
