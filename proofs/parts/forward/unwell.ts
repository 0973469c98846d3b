import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Ground, leadTo } from './ground.ts'

type Seen = { status: number; code: string; ms: number }

const UNWELL: [name: string, does: RequestListener][] = [
  ['hangs', () => {}],
  [
    'sends half an answer',
    (_, answer) => {
      answer.writeHead(200, {
        'content-type': 'application/json',
        'content-length': '1000',
        'slipway-version': '1.0.0',
      })
      answer.write('{"id":')
      setTimeout(() => answer.destroy(), 50)
    },
  ],
  [
    'sends an endless body',
    (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'slipway-version': '1.0.0' })
      const more = () => {
        while (!answer.destroyed && answer.write(Buffer.alloc(65_536, 32)));
      }
      answer.on('drain', more)
      more()
    },
  ],
  ['leads to a private address', (_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
]

/** Each kind of a cloud that is not well, and how long what is here takes meanwhile. */
export async function unwellClouds(ground: Ground, id: string): Promise<{ said: string; faults: string[] }> {
  const faults: string[] = []
  const said: string[] = []
  for (const [name, does] of UNWELL) {
    const server = createServer(does)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    await leadTo(ground.own, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const seen = await askFor(ground, id)
    said.push(`${name}: ${seen.status} after ${(seen.ms / 1000).toFixed(1)} s`)
    if (seen.status !== 503 || seen.code !== 'cloud_unreachable' || seen.ms > 20_000)
      faults.push(`${name}: ${JSON.stringify(seen)}`)
    server.closeAllConnections()
    server.close()
  }
  return { said: said.join(', '), faults }
}

export async function askFor({ own }: Ground, id: string): Promise<Seen> {
  const began = performance.now()
  const { status, body } = await own.call('GET', `/api/deployments/${id}`)
  return { status, code: body?.code ?? '', ms: performance.now() - began }
}
