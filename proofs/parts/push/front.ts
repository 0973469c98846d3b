import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

type Arrived = { after: string; guid: string; isSigned: boolean; status: number; ms: number }

/** In front of the replicas, as a load balancer: goes to one that lives, and keeps what came and how it was answered. */
export async function startFront(replicas: () => string[], secretOf: (key: string) => string) {
  const arrived: Arrived[] = []
  let turn = 0
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const began = performance.now()
    const status = await forward(incoming, body, replicas(), turn++)
    outgoing.writeHead(status).end()
    arrived.push({ ...readPush(incoming, body, secretOf), status, ms: performance.now() - began })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: (key: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/githost/webhook?k=${key}`,
    arrived,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function forward(incoming: IncomingMessage, body: Buffer, urls: string[], turn: number): Promise<number> {
  for (let at = 0; at < urls.length; at++) {
    const url = urls[(turn + at) % urls.length] ?? ''
    const status = await new Promise<number | 'refused'>((done) => {
      const { host: _, ...headers } = incoming.headers
      const call = request(`${url}${incoming.url}`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        done(answer.statusCode ?? 502)
      })
      // Only who was not reached at all may be asked again elsewhere.
      call.on('error', ({ code }: NodeJS.ErrnoException) => done(code === 'ECONNREFUSED' ? 'refused' : 502))
      call.end(body)
    })
    if (status !== 'refused') return status
  }
  return 502
}

function readPush(incoming: IncomingMessage, body: Buffer, secretOf: (key: string) => string) {
  const key = new URL(incoming.url ?? '', 'http://x').searchParams.get('k') ?? ''
  const right = Buffer.from(`sha256=${createHmac('sha256', secretOf(key)).update(body).digest('hex')}`)
  const given = Buffer.from(String(incoming.headers['x-hub-signature-256']))
  return {
    after: String(JSON.parse(body.toString()).after),
    guid: String(incoming.headers['x-github-delivery']),
    isSigned: given.length === right.length && timingSafeEqual(given, right),
  }
}
