import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../../test-kit/serve-names.ts'
import { httpreq } from './httpreq.ts'

const NAME = '_acme-challenge.shop.example'
const zone: Record<string, ZoneEntry> = {}
const names = await serveNames(zone)
const asked: { path: string; login: string | undefined; body: unknown }[] = []
let answer = async (_: IncomingMessage): Promise<number> => 200

const hook = createServer(async (request, response) => {
  const body = JSON.parse(await text(request))
  asked.push({ path: request.url ?? '', login: request.headers.authorization, body })
  const code = await answer(request)
  if (code === 200 && request.url === '/dns/present') setTimeout(() => (zone[NAME] = { TXT: [body.value] }), 500)
  response.writeHead(code).end(code === 200 ? '' : 'quota reached')
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/dns/`
})
afterAll(() => {
  hook.close()
  names.close()
})

const { signal } = new AbortController()
const client = (more: object = {}) =>
  httpreq({ url, login: { user: 'slipway', password: 'geheim' }, resolvers: [names.server], ...more })

test('a value is set as lego asks for it, waited for until it is seen, and taken away', async () => {
  await client().put(NAME, 'proof', { signal })
  expect(zone[NAME]).toEqual({ TXT: ['proof'] })
  await client().remove(NAME, 'proof', { signal })
  const login = `Basic ${Buffer.from('slipway:geheim').toString('base64')}`
  const body = { fqdn: `${NAME}.`, value: 'proof' }
  expect(asked).toEqual([
    { path: '/dns/present', login, body },
    { path: '/dns/cleanup', login, body },
  ])
})

test.each([
  [401, 'key_refused'],
  [500, 'update_refused'],
])('%i is told as %s, without the password', async (code, failure) => {
  answer = async () => code
  const failed = await client()
    .put(NAME, 'other', { signal })
    .catch((error) => error)
  expect(failed).toMatchObject({ driver: 'dns-update', code: failure })
  expect(JSON.stringify([failed.message, failed.hint])).not.toContain('geheim')
})

test('one that is silent, one that is not there, and a value that nobody shows are told apart', async () => {
  answer = () => new Promise(() => {})
  await expect(client({ deadlineMs: 200 }).put(NAME, 'x', { signal })).rejects.toMatchObject({ code: 'dns_timeout' })
  const nowhere = client({ url: 'http://127.0.0.1:9' })
  await expect(nowhere.put(NAME, 'x', { signal })).rejects.toMatchObject({ code: 'dns_unreachable' })
  answer = async () => 200
  const unseen = client({ visibleMs: 300 }).put(NAME, 'never', { signal })
  await expect(unseen).rejects.toMatchObject({ code: 'not_visible' })
})
