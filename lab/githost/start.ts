import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { readBody, send } from './answer.ts'
import { makeCertificate } from './certificate.ts'
import { type Control, createControl } from './control.ts'
import { answerBug, handleRequest } from './door.ts'
import { createHost } from './host.ts'

export type GitHost = {
  /** The name that clients use, through the proxy. */
  host: string
  /** Directly: https://127.0.0.1:port. */
  url: string
  /** For HTTPS_PROXY: every name leads to this host. */
  proxy: string
  /** `POST /<verb>` with JSON does what `do.<verb>` does. */
  control: string
  /** For SSL_CERT_FILE, GIT_SSL_CAINFO, SLIPWAY_GIT_CA_FILE. */
  caFile: string
  do: Control
  stop(): Promise<void>
}

/** A GitHub-compatible host on loopback ports of its own. What it keeps on disk is below `dir`, and gone after `stop`. */
export async function startGitHost({
  dir,
  host: name = 'github.test',
}: {
  dir: string
  host?: string
}): Promise<GitHost> {
  const repositoriesDir = join(dir, 'repositories')
  mkdirSync(repositoriesDir, { recursive: true })
  const names = [...new Set([name, `api.${name}`, 'github.com', 'api.github.com', 'localhost'])]
  const { caFile, ...tls } = await makeCertificate(join(dir, 'tls'), names)
  const host = createHost(name, repositoriesDir)
  const control = createControl(host)
  const server = createTlsServer(tls, (request, response) => {
    handleRequest(host, request, response).catch((error: unknown) => answerBug(error, response))
  })
  const port = await listen(server)
  const [proxy, controls] = [createProxy(port), createControlServer(control)]
  const [proxyPort, controlPort] = [await listen(proxy.server), await listen(controls)]
  return {
    host: name,
    url: `https://127.0.0.1:${port}`,
    proxy: `http://127.0.0.1:${proxyPort}`,
    control: `http://127.0.0.1:${controlPort}`,
    caFile,
    do: control,
    stop: async () => {
      host.closed = true
      proxy.cut()
      await Promise.all([server, proxy.server, controls].map(close))
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Whatever name a client wants to be connected with, it comes to us. */
function createProxy(port: number) {
  const open = new Set<{ destroy(): void }>()
  const server = createServer((_, response) => send(response, { status: 405, text: 'only CONNECT' }))
  server.on('connect', (_, client, head) => {
    const inner = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      inner.write(head)
      inner.pipe(client).pipe(inner)
    })
    for (const [one, other] of [
      [inner, client],
      [client, inner],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const cut = () => {
    for (const one of open) one.destroy()
  }
  return { server, cut }
}

function createControlServer(control: Control): Server {
  const verbs: Record<string, (input: never) => unknown> = control
  return createServer(async (request, response) => {
    const verb = (request.url ?? '/').slice(1)
    const work = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    if (!work) return send(response, { status: 404, body: { error: `there is no ${verb}`, verbs: Object.keys(verbs) } })
    try {
      const input = JSON.parse((await readBody(request)) || '{}') as never
      send(response, { status: 200, body: (await work(input)) ?? {} })
    } catch (error) {
      send(response, { status: 400, body: { error: String(error) } })
    }
  })
}

const listen = (server: Server | TlsServer) =>
  new Promise<number>((ready, failed) => {
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port))
  })

const close = (server: Server | TlsServer) =>
  new Promise((closed) => {
    server.close(closed)
    server.closeAllConnections()
  })
