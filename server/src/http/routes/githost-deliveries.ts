import { githostDeliveries } from '@slipway/contract/githost-deliveries'
import type { FastifyRequest } from 'fastify'
import { listDeliveries, replay, showDelivery } from '../../core/githost/push/deliveries.ts'
import { receive } from '../../core/githost/push/receive.ts'
import type { Platform } from '../../core/platform.ts'
import { Refusal } from '../../errors.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const githostDeliveryRoutes = (platform: Platform): Route[] => [
  on(githostDeliveries.webhook, async ({ query, request }) => receive(platform, arriving(request, query.k))),
  on(githostDeliveries.deliveries, ({ caller, query }) => listDeliveries(platform, caller, query)),
  on(githostDeliveries.delivery, ({ caller, params }) => showDelivery(platform, caller, params.id)),
  on(githostDeliveries.replay, ({ caller, params, reply }) => replay(platform, caller, params.id, aborted(reply))),
]

/** The bytes as they came. What is packed or a form is not what we asked the host to send. */
function arriving(request: FastifyRequest, key: string) {
  const text = (name: string) => [request.headers[name]].flat()[0]
  const packed = text('content-encoding')
  const type = text('content-type')?.split(';')[0]?.trim().toLowerCase()
  if ((packed !== undefined && packed !== 'identity') || type !== 'application/json') {
    throw new Refusal('unsupported_media_type', 'This route takes application/json as it is, not packed.', {
      hint: 'Set the content type of the hook to application/json.',
    })
  }
  const [guid, event] = [text('x-github-delivery') ?? '', text('x-github-event') ?? '']
  if (!/^[\w-]{1,100}$/.test(guid) || !/^[a-z_]{1,100}$/.test(event)) {
    throw new Refusal('invalid_request', 'The delivery does not say its id and its event.', {
      hint: 'Only a git host sends deliveries here, with X-GitHub-Delivery and X-GitHub-Event.',
    })
  }
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return { key, guid, event, signature: text('x-hub-signature-256'), body }
}
