import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate } from '../../../../lab/githost/certificate.ts'
import { failureOf, seenIn } from './explain.ts'
import { isSigned } from './signature.ts'
import { guardedFetch } from './transport.ts'

const dir = await mkdtemp(join(tmpdir(), 'slipway-transport-'))
const { caFile, key, cert } = await makeCertificate(dir, ['localhost'])
const heard: string[] = []
const server = createServer({ key, cert }, (request, response) => {
  heard.push(request.url ?? '')
  if (request.url === '/away') return response.writeHead(302, { location: 'https://elsewhere.example/x' }).end()
  if (request.url === '/here') return response.writeHead(301, { location: '/end' }).end()
  if (request.url === '/round') return response.writeHead(302, { location: '/round' }).end()
  if (request.url === '/never') return undefined
  return response.end('{"ok":true}')
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
afterAll(() => server.closeAllConnections())
afterAll(() => void server.close())
const url = `https://localhost:${(server.address() as AddressInfo).port}`
const open = (allowed: (address: string) => boolean, more = {}) =>
  guardedFetch({ origins: [url], caFile, mayConnect: allowed, ...more })
const here = (address: string) => address === '127.0.0.1'

test('the host is asked, and a redirect is followed only to itself', async () => {
  const fetch = open(here)
  expect(await (await fetch(`${url}/here`)).json()).toEqual({ ok: true })
  await expect(fetch(`${url}/away`)).rejects.toThrow(/another host/)
  await expect(fetch('https://elsewhere.example/')).rejects.toThrow(/another host/)
  await expect(fetch(`${url}/round`)).rejects.toThrow(/without end/)
})

test('an address that may not be connected to is refused before a byte is sent', async () => {
  heard.length = 0
  await expect(open(() => false)(`${url}/end`)).rejects.toThrow(/may not be used/)
  const plain = url.replace('localhost', '127.0.0.1')
  await expect(guardedFetch({ origins: [plain], caFile, mayConnect: () => false })(plain)).rejects.toThrow(/may not/)
  expect(heard).toEqual([])
})

test('a host that does not answer is given up at the deadline', async () => {
  await expect(open(here, { deadlineMs: 200 })(`${url}/never`)).rejects.toThrow()
})

test('a certificate that nobody vouches for is refused', async () => {
  await expect(open(here, { caFile: null })(`${url}/end`)).rejects.toThrow()
})

test('only 404 and 410 mean that there is no such thing', () => {
  for (let status = 400; status < 600; status++) {
    const error = { status, response: { headers: {}, data: { message: 'x' } } }
    const { code } = failureOf(error, seenIn(error), 'host')
    expect([status, code === 'not_found']).toEqual([status, status === 404 || status === 410])
  }
  for (const error of [new Error('socket hang up'), new TypeError('fetch failed'), {}])
    expect(failureOf(error, seenIn(error), 'host').code).toBe('unreachable')
})

test('a delivery is believed only with a whole signature of its very bytes', async () => {
  const { createHmac } = await import('node:crypto')
  const body = Buffer.from('{"a":1}')
  const good = `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`
  expect(await isSigned('secret', body, good)).toBe(true)
  for (const [secret, bytes, signature] of [
    ['other', body, good],
    ['', body, good],
    ['secret', Buffer.from('{"a":2}'), good],
    ['secret', body, good.slice(0, -1)],
    ['secret', body, 'sha256='],
    ['secret', body, undefined],
    ['secret', body, good.replace('sha256', 'sha1')],
  ] as const)
    expect(await isSigned(secret, bytes, signature), String(signature)).toBe(false)
})
