import { createHmac, randomUUID } from 'node:crypto'
import type { Hook, Host } from '../model.ts'
import type { Delivery, Event } from './delivery.ts'
import { post } from './post.ts'

export type Receiver = {
  kind: 'repository' | 'integration'
  id: number
  targetId: number
  url: string
  secret: string | null
  isForm: boolean
  log: Delivery[]
  hook: Hook | null
}

/** Sends an event to a receiver, once, as far as the faults allow it. Nothing is repeated, as on the real host. */
export function deliver(host: Host, receiver: Receiver, event: Event): void {
  const { dice, traffic } = host
  const faults = host.faults.deliveries
  const chosen = (share: number, count: 'lost' | 'failed' | 'duplicated' | 'reordered' | 'badlySigned') => {
    const hit = dice.hits(share)
    if (hit) traffic[count] += 1
    return hit
  }
  if (chosen(faults.lose, 'lost')) return
  const later = chosen(faults.reorder, 'reordered') ? dice.roll() * faults.delayMs : 0
  const doubled = chosen(faults.duplicate, 'duplicated')
  const forged = chosen(faults.badSignature, 'badlySigned')
  const fails = chosen(faults.fail, 'failed')
  const guid = randomUUID()
  schedule(host, later, () => attempt(host, receiver, event, { guid, forged, fails }))
  if (!doubled) return
  const again = later + dice.roll() * faults.delayMs
  schedule(host, again, () => attempt(host, receiver, event, { guid, forged }))
}

/** Goes out again with the id it had, as the real host does it. */
export function redeliver(host: Host, receiver: Receiver, { guid, ...event }: Delivery): void {
  schedule(host, 0, () => attempt(host, receiver, event, { guid, redelivery: true }))
}

function schedule({ traffic }: Host, waitMs: number, work: () => Promise<void>): void {
  traffic.underWay += 1
  const start = () =>
    void work().finally(() => {
      traffic.underWay -= 1
    })
  if (waitMs > 0) setTimeout(start, waitMs)
  else start()
}

type Manner = { guid: string; redelivery?: boolean; forged?: boolean; fails?: boolean }
const MOST_LOGGED = 2000

async function attempt(host: Host, receiver: Receiver, event: Event, manner: Manner): Promise<void> {
  while (host.faults.outage && !host.closed) await new Promise((next) => setTimeout(next, 25))
  if (host.closed) return
  const json = JSON.stringify(event.payload)
  const body = receiver.isForm ? `payload=${encodeURIComponent(json)}` : json
  const headers = headersOf(host, receiver, event, manner, body)
  const began = performance.now()
  const unreached = { status: 'failed to connect to host', code: 502, headers: {}, text: '' }
  const answer = manner.fails ? unreached : await post(receiver.url, headers, body)
  const { event: name, action, installationId, repositoryId, payload } = event
  const delivery: Delivery = {
    ...{ event: name, action, installationId, repositoryId, payload },
    id: host.nextId(),
    guid: manner.guid,
    deliveredAt: new Date().toISOString(),
    redelivery: manner.redelivery ?? false,
    duration: Math.round(performance.now() - began) / 1000,
    status: answer.status,
    statusCode: answer.code,
    url: receiver.url,
    headers,
    response: { headers: answer.headers, payload: answer.text },
  }
  host.traffic.sent += 1
  receiver.log.unshift(delivery)
  if (receiver.log.length > MOST_LOGGED) receiver.log.length = MOST_LOGGED
  const { status, code } = answer
  if (receiver.hook) receiver.hook.lastResponse = { code, status: code < 400 ? 'active' : 'unused', message: status }
}

function headersOf({ name }: Host, receiver: Receiver, { event }: Event, { guid, forged }: Manner, body: string) {
  const { secret } = receiver
  const key = forged ? `${secret} forged` : (secret ?? '')
  const sign = (algorithm: string) => `${algorithm}=${createHmac(algorithm, key).update(body).digest('hex')}`
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Content-Type': receiver.isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    'User-Agent': 'GitHub-Hookshot/1ab00d3',
    'X-GitHub-Delivery': guid,
    'X-GitHub-Event': event,
    'X-GitHub-Hook-ID': String(receiver.id),
    'X-GitHub-Hook-Installation-Target-ID': String(receiver.targetId),
    'X-GitHub-Hook-Installation-Target-Type': receiver.kind,
    ...(name !== 'github.com' && { 'X-GitHub-Enterprise-Host': name }),
    ...(secret && { 'X-Hub-Signature': sign('sha1'), 'X-Hub-Signature-256': sign('sha256') }),
  }
  return headers
}
