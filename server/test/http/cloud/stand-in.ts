import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { afterAll } from 'vitest'

type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Something on loopback in place of a cloud, which does what no cloud of ours would; and what arrived there. */
export async function startStandIn(answer: RequestListener) {
  const seen: Seen[] = []
  let now = answer
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, headers })
    request.resume()
    now(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () => {
    server.closeAllConnections()
    return new Promise<unknown>((closed) => server.close(closed))
  }
  afterAll(close)
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close,
    /** From now on it does this. */
    does(other: RequestListener) {
      now = other
    },
  }
}

/** As the application itself answers. */
export const answering =
  (body: object, status = 200): RequestListener =>
  (_, response) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
    response.writeHead(status, { ...headers, 'slipway-version': '0.0.0' }).end(text)
  }
