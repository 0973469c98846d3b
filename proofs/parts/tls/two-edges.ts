import { connect, createSecureContext, type SecureContext } from 'node:tls'
import { labPart } from '../../../lab/ask.ts'
import { caddyEdge } from '../../../server/src/drivers/edge/caddy.ts'
import type { Edge } from '../../../server/src/drivers/edge/edge.ts'
import { cleared, engineAt } from '../../../test-kit/engine.ts'
import { authority, type Made } from './make-certificates.ts'

export type ScaleEdge = { edge: Edge<null>; port: number; names: string[]; fillSeconds: number }
export type TwoEdges = Awaited<ReturnType<typeof openTwoEdges>>

const WAIT_MS = 30_000

/** Two edges on one engine: what disturbs the one disturbs the other, so that they can be compared. */
export async function openTwoEdges(instance: string, small: number, large: number) {
  const { address, socket } = labPart('engine')
  const { root, issue } = authority('Slipway proof root')
  const trust = createSecureContext({ ca: root })
  const close = async () => {
    for (const which of ['small', 'large']) await cleared(socket, `${instance}-${which}`)
  }
  try {
    const port = 31_000 + (process.pid % 900) * 10
    const open = async (which: string, count: number, at: number): Promise<ScaleEdge> => {
      const edge = edgeOf(socket, `${instance}-${which}-edge`)
      const settings = { image: labPart('caddy').image, httpPort: at, httpsPort: at + 1 }
      await edge.ensure(null, { ...settings, instance: `${instance}-${which}` })
      const made = Array.from({ length: count }, (_, n) => issue(`n${n + 1}.${which}.example.test`))
      const began = performance.now()
      await fill(edge, made)
      const fillSeconds = (performance.now() - began) / 1000
      return { edge, port: at + 1, names: made.map(({ host }) => host), fillSeconds }
    }
    const edges = { small: await open('small', small, port), large: await open('large', large, port + 2) }
    const shake = ({ port: at }: ScaleEdge, host: string) => handshake({ address, port: at }, trust, host)
    return { ...edges, handshake: shake, close }
  } catch (error) {
    await close()
    throw error
  }
}

function edgeOf(socket: string, name: string): Edge<null> {
  const docker = engineAt(socket)
  const connection = { docker, explain: async (error: unknown) => error, close: () => {} }
  return caddyEdge<null>({ connect: async () => connection }, { name, deadlineMs: 180_000 })
}

/** Each name has a certificate of its own and leads somewhere. */
async function fill(edge: Edge<null>, made: Made[]): Promise<void> {
  await edge.certificates.reconcile(
    null,
    made.map(({ host, pem }) => ({ host, id: 'first', pem })),
  )
  const to = { pathPrefix: null, project: 'prj_scale', service: 'web', port: 8080 }
  await edge.reconcile(
    null,
    made.map(({ host }) => ({ ...to, host, secure: 'redirect' })),
  )
}

/** Milliseconds from nothing to a connection whose certificate is believed, for this name. */
function handshake(at: { address: string; port: number }, trust: SecureContext, servername: string): Promise<number> {
  return new Promise((done, fail) => {
    const began = performance.now()
    const socket = connect({ host: at.address, port: at.port, servername, secureContext: trust }, () => {
      const took = performance.now() - began
      socket.destroy()
      done(took)
    })
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error(`no handshake within ${WAIT_MS / 1000} s`)))
    socket.on('error', fail)
  })
}
