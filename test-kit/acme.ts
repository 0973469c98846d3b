import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Challenge } from '../server/src/drivers/acme/acme.ts'

// For the tests of certificates: who answers the CA's questions, and a front that lets a CA fail in ways it never does.

export type Answers = {
  port: number
  challenge: Extract<Challenge, { kind: 'http-01' }>
  tokens: Map<string, string>
} & Ends
type Ends = { stop(): Promise<void> }

/** Answers HTTP-01 on loopback, as an edge does. */
export async function answerHttp(): Promise<Answers> {
  const tokens = new Map<string, string>()
  const server = createServer(({ url = '' }, response) => {
    const answer = tokens.get(url.replace('/.well-known/acme-challenge/', ''))
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  const port = await listen(server)
  const challenge: Answers['challenge'] = {
    kind: 'http-01',
    put: async (token, answer) => void tokens.set(token, answer),
    remove: async (token) => void tokens.delete(token),
  }
  return { port, challenge, tokens, stop: () => close(server) }
}

type Mischief = (asked: IncomingMessage, response: ServerResponse) => boolean
export type Front = { directoryUrl: string; asked: string[]; play(mischief: Mischief | undefined): void } & Ends

type Behind = { directoryUrl: string; roots: string; tls: { cert: string; key: string } }

/** Passes everything on to a real CA, except what a test answers itself. */
export async function frontOf({ directoryUrl, roots, tls }: Behind): Promise<Front> {
  const behind = new URL(directoryUrl)
  let play: Mischief | undefined
  const asked: string[] = []
  const server = createTlsServer(tls, (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    asked.push(`${method} ${url}`)
    if (play?.(incoming, response)) return
    // The CA derives its URLs from the host it was called by, and so they lead here.
    const options = { hostname: behind.hostname, port: behind.port, path: url, method, headers, ca: roots }
    const onward = request({ ...options, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  const port = await listen(server)
  return {
    directoryUrl: `https://127.0.0.1:${port}${behind.pathname}`,
    asked,
    play: (mischief) => {
      play = mischief
    },
    stop: () => close(server),
  }
}

/** `problem` as a CA says it. */
export function say(
  response: ServerResponse,
  status: number,
  problem: object,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(problem))
  return true
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
