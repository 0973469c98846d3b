import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (request: IncomingMessage, answer: ServerResponse) => void

/** A server that answers as a test says, and misbehaves as it says. `url` is where. */
export async function answering(answer: Answer) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Requests in the order they came. */
    seen,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const sendJson = (
  answer: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => void answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
