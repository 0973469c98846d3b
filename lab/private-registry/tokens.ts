import { createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** Who may pull and push below which path; the path '' is everything. */
export type Account = { username: string; password: string; path: string }

export type TokenServer = {
  /** What is being counted: how many tokens were given out, and how many questions were refused. */
  given: number
  refused: number
  /** By whom it was asked, and where. */
  asked: { url: string; username: string | null }[]
  close(): Promise<void>
}

type Options = { address: string; port: number; service: string; key: string; cert: string; seconds: number }

/**
 * What gives out the tokens of a registry: with the name and the password of an account, for what the account may reach, and
 * for so many seconds. Whoever comes without a name gets a token for nothing.
 */
export async function serveTokens(accounts: () => Account[], options: Options): Promise<TokenServer> {
  const state: TokenServer = { given: 0, refused: 0, asked: [], close: async () => {} }
  const server = createServer(async (request, response) => {
    const { login, scopes } = await askedIn(request)
    state.asked.push({ url: request.url ?? '', username: login?.username ?? null })
    const account = accounts().find(
      ({ username, password }) => username === login?.username && password === login.password,
    )
    if (login !== null && account === undefined) {
      state.refused += 1
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'wrong name or password' }] }))
      return
    }
    state.given += 1
    const token = tokenFor(account, scopes, options)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ token, access_token: token, expires_in: options.seconds }))
  })
  await new Promise<void>((listening, failed) =>
    server.once('error', failed).listen(options.port, options.address, listening),
  )
  state.close = () =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return state
}

type Asked = { login: { username: string; password: string } | null; scopes: string[] }

/** Engines ask with GET and a header, BuildKit with POST and a form, as OAuth has it. */
async function askedIn(request: IncomingMessage): Promise<Asked> {
  if (request.method !== 'POST') {
    const { searchParams } = new URL(request.url ?? '/', 'http://tokens')
    return { login: loginIn(request.headers.authorization ?? ''), scopes: searchParams.getAll('scope') }
  }
  const form = new URLSearchParams(await text(request))
  const [username, password] = [form.get('username'), form.get('password')]
  const login = username === null || password === null ? null : { username, password }
  return { login, scopes: (form.get('scope') ?? '').split(' ').filter(Boolean) }
}

function loginIn(header: string): Asked['login'] {
  const [, encoded] = /^Basic (.+)$/i.exec(header) ?? []
  if (encoded === undefined) return null
  const plain = Buffer.from(encoded, 'base64').toString()
  const colon = plain.indexOf(':')
  return { username: plain.slice(0, colon), password: plain.slice(colon + 1) }
}

function tokenFor(account: Account | undefined, scopes: string[], { service, key, cert, seconds }: Options): string {
  const now = Math.floor(Date.now() / 1000)
  const access = scopes.flatMap((scope) => {
    const [, type = '', name = '', actions = ''] = /^(\w+):(.+):([\w,*]+)$/.exec(scope) ?? []
    const inside = account !== undefined && (account.path === '' || `${name}/`.startsWith(`${account.path}/`))
    return inside ? [{ type, name, actions: actions.split(',') }] : []
  })
  const header = { typ: 'JWT', alg: 'ES256', x5c: [new X509Certificate(cert).raw.toString('base64')] }
  const times = { nbf: now - 5, iat: now - 5, exp: now + seconds }
  const claims = { iss: service, sub: account?.username ?? '', aud: service, ...times, jti: `${now}`, access }
  const plain = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signed = sign('sha256', Buffer.from(plain), { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' })
  return `${plain}.${signed.toString('base64url')}`
}
