import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listeners } from '../../../test-kit/tls-listeners.ts'
import { type Ground, leadTo } from './ground.ts'

type Seen = { status: number; code: string; message: string; ms: number }
type Unwell = {
  name: string
  open(): Promise<{ port: number; close(): void }>
  /** What a caller is told, and after how long at most. */
  says: string
  seconds: number
}

const LATE = 'did not answer in time'
const HALF = 'sent no whole answer'
const AWAY = 'cannot be reached'

const ROWS: Unwell[] = [
  { name: 'hangs', open: () => serving(() => {}), says: LATE, seconds: 11 },
  { name: 'takes connections and reads nothing', open: () => silent(), says: LATE, seconds: 11 },
  { name: 'drops packets', open: () => dropping(), says: AWAY, seconds: 3 },
  {
    name: 'sends half an answer',
    open: () =>
      serving((_, answer) => {
        answer.writeHead(200, { ...OURS, 'content-length': '1000' }).write('{"id":')
        setTimeout(() => answer.destroy(), 50)
      }),
    says: HALF,
    seconds: 1,
  },
  {
    name: 'stops in the middle of one',
    open: () =>
      serving((_, answer) => void answer.writeHead(200, { ...OURS, 'content-length': '1000' }).write('{"id":')),
    says: LATE,
    seconds: 11,
  },
  {
    name: 'sends an endless body',
    open: () =>
      serving((_, answer) => {
        answer.writeHead(200, OURS)
        const more = () => {
          while (!answer.destroyed && answer.write(Buffer.alloc(65_536, 32)));
        }
        answer.on('drain', more)
        more()
      }),
    says: HALF,
    seconds: 3,
  },
  {
    name: 'leads to a private address',
    open: () => serving((_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()),
    says: 'leads elsewhere',
    seconds: 1,
  },
  {
    name: 'is a gateway that has lost it',
    open: () => serving((_, answer) => void answer.writeHead(502, { 'content-length': 0 }).end()),
    says: 'answers in its place',
    seconds: 1,
  },
]

const OURS = { 'content-type': 'application/json', 'slipway-version': '1.0.0' }

async function serving(does: RequestListener) {
  const server = createServer(does)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}

async function silent() {
  const open = listeners()
  const { port } = await open.silent()
  return { port, close: open.closeAll }
}

async function dropping() {
  const open = listeners()
  return { port: await open.blackHole(), close: open.closeAll }
}

/** Each kind of a cloud that is not well: what is told of it, and after how long. */
export async function unwellClouds(ground: Ground, id: string): Promise<{ said: string; faults: string[] }> {
  const faults: string[] = []
  const said: string[] = []
  for (const { name, open, says, seconds } of ROWS) {
    const { port, close } = await open()
    await leadTo(ground.own, `http://127.0.0.1:${port}`)
    const seen = await askFor(ground, id)
    said.push(`${name}: ${seen.status} after ${(seen.ms / 1000).toFixed(1)} s (bar ${seconds})`)
    const isAsSaid = seen.status === 503 && seen.code === 'cloud_unreachable' && seen.message.includes(says)
    if (!isAsSaid || seen.ms > seconds * 1000) faults.push(`${name}: ${JSON.stringify(seen)}`)
    close()
  }
  return { said: said.join(', '), faults }
}

export async function askFor({ own }: Ground, id: string): Promise<Seen> {
  const began = performance.now()
  const { status, body } = await own.call('GET', `/api/deployments/${id}`)
  return { status, code: body?.code ?? '', message: body?.message ?? '', ms: performance.now() - began }
}
