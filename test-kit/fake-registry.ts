import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Way = 'basic' | 'bearer' | 'open'
type Asked = { path: string; authorization: string | null }

export type FakeRegistry = {
  host: string
  /** How it asks who comes. */
  way: Way
  /** Who is taken. */
  login: { username: string; password: string }
  /** Where it says that tokens are to be had; null: its own. */
  realm: string | null
  /** Answers in place of all of this. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | null
  asked: Asked[]
  close(): Promise<void>
}

const TOKEN = 'a-token-of-the-fake'

/** What signs in at a registry sees of one, without TLS and on loopback. The lab has a real one. */
export async function fakeRegistry(login: FakeRegistry['login'], way: Way = 'bearer'): Promise<FakeRegistry> {
  const fake: FakeRegistry = { host: '', way, login, realm: null, instead: null, asked: [], close: async () => {} }
  const server: Server = createServer((request, response) => {
    const { authorization = null } = request.headers
    fake.asked.push({ path: request.url ?? '', authorization })
    if (fake.instead) fake.instead(request, response)
    else answer(fake, request.url ?? '', authorization, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  fake.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  fake.close = () =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return fake
}

function answer(fake: FakeRegistry, path: string, authorization: string | null, response: ServerResponse): void {
  const { username, password } = fake.login
  const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const isTaken = authorization === (fake.way === 'basic' ? right : `Bearer ${TOKEN}`)
  if (path.startsWith('/token')) {
    response.writeHead(authorization === right ? 200 : 401, { 'content-type': 'application/json' })
    response.end(authorization === right ? JSON.stringify({ token: TOKEN }) : '{"errors":[]}')
  } else if (fake.way === 'open' || isTaken) {
    response.writeHead(200).end('{}')
  } else {
    const realm = fake.realm ?? `http://${fake.host}/token`
    const challenge = fake.way === 'basic' ? 'Basic realm="fake"' : `Bearer realm="${realm}",service="fake"`
    response.writeHead(401, { 'www-authenticate': challenge }).end('{"errors":[]}')
  }
}
