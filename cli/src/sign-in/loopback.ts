import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Slipway</title><h1>Back to your terminal</h1>
<p>It says how it went. You can close this window.</p></html>`
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

export type Loopback = { redirect: string; code: Promise<string>; close(): void }

/**
 * Where a browser of this machine brings the one-time code (RFC 8252, 7.3). Any page can send a browser to a port of this machine,
 * so only a path that nobody can guess is heard.
 */
export async function listenForCode(): Promise<Loopback> {
  // Not by `import`, which loads all of fetch as well (instance/node-http.ts).
  const { createServer } = process.getBuiltinModule('node:http')
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const path = `/${randomBytes(16).toString('base64url')}`
  const { promise, resolve } = Promise.withResolvers<string>()
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1')
    const code = url?.pathname === path && request.method === 'GET' ? url.searchParams.get('code') : null
    const brought = code !== null && /^[\w-]{20,200}$/.test(code)
    response.writeHead(brought ? 200 : 404, HEADERS).end(brought ? PAGE : '')
    if (brought) resolve(code)
  })
  // A browser that keeps its connection does not keep the command line.
  server.on('connection', (socket) => socket.unref())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { redirect: `http://127.0.0.1:${port}${path}`, code: promise, close: () => void server.close() }
}
