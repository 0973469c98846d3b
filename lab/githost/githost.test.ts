import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../run.ts'
import { ask } from './ask.ts'
import type { Json } from './model.ts'
import { type GitHost, startGitHost } from './start.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipway-githost-test-'))
const received: { headers: IncomingHttpHeaders; body: string }[] = []
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ headers: request.headers, body })
  response.writeHead(202).end()
})
let lab: GitHost
let hookUrl: string
let ada: string

beforeAll(async () => {
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
  hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  lab = await startGitHost({ dir: join(dir, 'host') })
  lab.do.user({ login: 'ada' })
  lab.do.user({ login: 'mallory' })
  lab.do.org({ login: 'acme', members: { ada: 'admin' } })
  await lab.do.repo({ full: 'acme/shop', private: true, files: { 'src/index.js': 'one\n' } })
  ada = lab.do.token({ login: 'ada' }).token
})

afterAll(async () => {
  await lab.stop()
  receiver.close()
  rmSync(dir, { recursive: true, force: true })
})

async function api(method: string, path: string, token?: string, body?: object) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const {
    status,
    headers: answered,
    text,
  } = await ask(lab, `https://api.${lab.host}${path}`, { method, headers, ...content })
  return { status, headers: answered, body: (text === '' ? {} : JSON.parse(text)) as Json }
}

const isSigned = ({ headers, body }: (typeof received)[number], secret: string) =>
  headers['x-hub-signature-256'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

test('a private repository looks nonexistent to strangers, and an unknown token is refused even for public things', async () => {
  expect((await api('GET', '/repos/acme/shop', ada)).status).toBe(200)
  expect((await api('GET', '/repos/acme/shop', lab.do.token({ login: 'mallory' }).token)).status).toBe(404)
  expect((await api('GET', '/repos/acme/shop')).status).toBe(404)
  expect((await api('GET', '/users/ada', 'ghp_unknown')).status).toBe(401)
})

test('git clones and pushes by the host’s own name through the proxy, and the push is delivered with a good signature', async () => {
  const config = { url: hookUrl, content_type: 'json', secret: 's3cret' }
  const hook = await api('POST', '/repos/acme/shop/hooks', ada, { config, events: ['push'] })
  const basic = Buffer.from(`x-access-token:${ada}`).toString('base64')
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    https_proxy: lab.proxy,
    GIT_SSL_CAINFO: lab.caFile,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.https://${lab.host}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
  const copy = join(dir, 'copy')
  const git = (...args: string[]) => run(['git', ...args], { env })
  await git('clone', '-q', `https://${lab.host}/acme/shop.git`, copy)
  expect(readFileSync(join(copy, 'src/index.js'), 'utf8')).toBe('one\n')
  writeFileSync(join(copy, 'new file.txt'), 'two\n')
  await git('-C', copy, 'add', '-A')
  await git('-C', copy, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'Two')
  await git('-C', copy, 'push', '-q', 'origin', 'HEAD:main')
  const head = (await git('-C', copy, 'rev-parse', 'HEAD')).trim()
  await lab.do.delivered()
  const push = received.find(({ headers }) => headers['x-github-event'] === 'push')
  expect(push && isSigned(push, 's3cret')).toBe(true)
  const payload = JSON.parse(push?.body ?? '{}')
  expect([payload.after, payload.forced, payload.head_commit.added]).toEqual([head, false, ['new file.txt']])
  expect((await api('GET', '/repos/acme/shop/git/ref/heads/main', ada)).body.object).toMatchObject({ sha: head })
  await api('DELETE', `/repos/acme/shop/hooks/${hook.body.id}`, ada)
})

test('a redelivery carries the id of the first attempt', async () => {
  const config = { url: `${hookUrl}?again`, content_type: 'json', secret: 'k' }
  const hook = (await api('POST', '/repos/acme/shop/hooks', ada, { config, events: ['push'] })).body
  await lab.do.delivered()
  const log = `/repos/acme/shop/hooks/${hook.id}/deliveries`
  const [first] = (await api('GET', log, ada)).body as unknown as [Json]
  const before = received.length
  expect((await api('POST', `${log}/${first.id}/attempts`, ada)).status).toBe(202)
  await lab.do.delivered()
  expect(received.slice(before).map(({ headers }) => headers['x-github-delivery'])).toEqual([first.guid])
  await api('DELETE', `/repos/acme/shop/hooks/${hook.id}`, ada)
})

test('an installation token reaches what it was narrowed to and nothing else', async () => {
  await lab.do.repo({ full: 'acme/docs', private: true, autoInit: true })
  const app = lab.do.app({ owner: 'acme', name: 'Reader', permissions: { contents: 'read' } })
  const { id } = lab.do.install({ slug: app.slug, login: 'acme' })
  const narrow = { repositories: ['docs'], permissions: { contents: 'read' } }
  const minted = await api('POST', `/app/installations/${id}/access_tokens`, jwtOf(app), narrow)
  const token = String(minted.body.token)
  expect(token.length).toBeGreaterThan(400)
  expect((await api('GET', '/repos/acme/docs/contents/', token)).status).toBe(200)
  expect((await api('GET', '/repos/acme/shop/contents/', token)).status).toBe(404)
  expect((await api('PUT', '/repos/acme/docs/contents/x', token, { message: 'x', content: '' })).status).toBe(403)
  lab.do.uninstall({ id })
  expect((await api('GET', '/repos/acme/docs/contents/', token)).status).toBe(401)
})

test('pushes to one repository at the same time follow one another', async () => {
  await lab.do.repo({ full: 'ada/busy', autoInit: true })
  const moves = await Promise.all(Array.from({ length: 8 }, () => lab.do.push({ full: 'ada/busy' })))
  expect(moves.slice(1).map(({ before }) => before)).toEqual(moves.slice(0, -1).map(({ after }) => after))
})

test('a delivery is lost, doubled or badly signed when it is told to be', async () => {
  const config = { url: `${hookUrl}?faults`, content_type: 'json', secret: 'k' }
  const hook = (await api('POST', '/repos/acme/shop/hooks', ada, { config, events: ['push'] })).body
  await lab.do.delivered()
  const outcome = async (deliveries: Parameters<typeof lab.do.faults>[0]['deliveries'] & object) => {
    const before = received.length
    lab.do.faults({ deliveries: { ...deliveries, delayMs: 1 } })
    await lab.do.push({ full: 'acme/shop' })
    await lab.do.delivered()
    lab.do.clearFaults()
    return received.slice(before).map((one) => isSigned(one, 'k'))
  }
  expect(await outcome({ lose: 1 })).toEqual([])
  expect(await outcome({ duplicate: 1 })).toEqual([true, true])
  expect(await outcome({ badSignature: 1 })).toEqual([false])
  await api('DELETE', `/repos/acme/shop/hooks/${hook.id}`, ada)
})

test('faults refuse, break and cut answers as they are told, and end when they are cleared', async () => {
  lab.do.faults({ secondaryNext: 1, retryAfterSeconds: 7 })
  const refused = await api('GET', '/user', ada)
  expect([refused.status, refused.headers['retry-after']]).toEqual([403, '7'])
  lab.do.faults({ errorShare: 1, errorStatus: 503, only: '^/user$' })
  const { status } = await ask(lab, `https://api.${lab.host}/user`)
  expect([status, (await api('GET', '/repos/acme/shop', ada)).status]).toEqual([503, 200])
  lab.do.faults({ outage: true })
  await expect(api('GET', '/repos/acme/shop', ada)).rejects.toThrow()
  lab.do.clearFaults()
  expect((await api('GET', '/user', ada)).status).toBe(200)
})

test('named github.com, it says that its API is at api.github.com', async () => {
  const real = await startGitHost({ dir: join(dir, 'real'), host: 'github.com' })
  real.do.user({ login: 'ada' })
  const { text } = await ask(real, 'https://api.github.com/users/ada')
  expect(JSON.parse(text)).toMatchObject({
    url: 'https://api.github.com/users/ada',
    html_url: 'https://github.com/ada',
  })
  await real.stop()
})

test('a host that was stopped leaves nothing on disk', async () => {
  const folder = join(dir, 'brief')
  const brief = await startGitHost({ dir: folder })
  expect(existsSync(brief.caFile)).toBe(true)
  await brief.stop()
  expect(existsSync(folder)).toBe(false)
})

function jwtOf({ id, pem }: { id: number; pem: string }): string {
  const at = Math.floor(Date.now() / 1000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: id, iat: at - 30, exp: at + 300 })}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), createPrivateKey(pem)).toString('base64url')}`
}
