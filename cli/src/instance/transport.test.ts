import type { Init } from '@slipway/contract/client'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { slipway } from '../../test/run-here.ts'
import { isOlder } from './compare-versions.ts'
import { retryAfterMs } from './pause.ts'
import { transport } from './transport.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

/** Fails so often, then answers. */
async function failing(times: number, fail: Parameters<typeof answering>[0]) {
  let left = times
  server = await answering((request, answer) => {
    if (left-- > 0) fail(request, answer)
    else sendJson(answer, { ok: true }, 200, { 'slipway-version': '9.8.7' })
  })
  const versions: string[] = []
  const send = transport({
    url: server.url,
    userAgent: 'slipway/test',
    signal: new AbortController().signal,
    onVersion: (version) => versions.push(version),
  })
  const asked = (init: Partial<Init> = {}) => send(new URL('/x', server?.url), { method: 'GET', headers: {}, ...init })
  return { send: asked, versions, seen: server.seen }
}

test.each([429, 502, 503, 504])('%i is asked again, after the time that it names', async (status) => {
  const { send, versions, seen } = await failing(2, (_, answer) =>
    sendJson(answer, {}, status, { 'retry-after': '0.01' }),
  )
  expect((await send()).status).toBe(200)
  expect(seen).toHaveLength(3)
  expect(versions).toEqual(['9.8.7'])
})

test('a connection that is cut is made again where that repeats nothing', async () => {
  const cut: Parameters<typeof answering>[0] = (request) => void request.socket.destroy()
  const asked = await failing(2, cut)
  expect((await asked.send({ method: 'DELETE' })).status).toBe(200)
  server?.close()
  const named = await failing(1, cut)
  expect((await named.send({ method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{}' })).status).toBe(200)
  server?.close()
  const plain = await failing(1, cut)
  await expect(plain.send({ method: 'POST', body: '{}' })).rejects.toMatchObject({ exit: 8 })
  expect(plain.seen).toHaveLength(1)
})

test('a repeated call waits for the first one that still runs', async () => {
  const { send, seen } = await failing(2, (_, answer) => sendJson(answer, { code: 'request_running' }, 409))
  expect((await send({ method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{}' })).status).toBe(200)
  expect(seen).toHaveLength(3)
})

test('a token is not sent after a redirect', async () => {
  server = await answering(
    (_, answer) => void answer.writeHead(302, { location: 'https://elsewhere.example.com/' }).end(),
  )
  const { code, json } = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't' } })
  expect(code).toBe(8)
  expect(json()).toMatchObject({ code: 'moved', error: expect.stringContaining('https://elsewhere.example.com') })
  expect(server.seen).toHaveLength(1)
})

test('nobody there is exit code 8, and so is somebody else', async () => {
  const nobody = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: 'http://127.0.0.1:9' } })
  expect([nobody.code, nobody.json().code]).toEqual([8, 'unreachable'])
  server = await answering(
    (_, answer) => void answer.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>'),
  )
  const other = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: server.url } })
  expect([other.code, other.json().code]).toEqual([8, 'not_an_instance'])
})

test('an instance that is too old for a command is told apart from something that is not there', async () => {
  const refused = { success: false, error: 'There is no GET /api/me.', code: 'route_not_found', requestId: 'r' }
  server = await answering((_, answer) => sendJson(answer, refused, 404, { 'slipway-version': '0.0.1' }))
  const { code, json } = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: server.url } })
  expect(code).toBe(4)
  expect(json()).toMatchObject({
    error: 'This instance (0.0.1) cannot do that.',
    hint: expect.stringContaining('Upgrade'),
  })
})

test('the time that is given ends the wait with exit code 7, and leaving with 130', async () => {
  server = await answering(() => {})
  const env = { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't' }
  const late = await slipway(['whoami', '--json', '--timeout', '0.2'], { env })
  expect([late.code, late.json().code]).toEqual([7, 'timeout'])
  const left = new AbortController()
  const leaving = slipway(['whoami', '--json'], { env, signal: left.signal })
  await expect.poll(() => server?.seen.length).toBe(2)
  left.abort()
  expect((await leaving).code).toBe(130)
})

test('versions are compared by their numbers, and a preview is before its release', () => {
  expect(isOlder('0.9.0', '0.10.0')).toBe(true)
  expect(isOlder('1.0.0-rc.1', '1.0.0')).toBe(true)
  expect(isOlder('1.0.0', '1.0.0-rc.1')).toBe(false)
  expect(isOlder('1.2.3+build', '1.2.3')).toBe(false)
})

test('the time to come back is taken in seconds or as a date, and is bounded', () => {
  expect(retryAfterMs('2')).toBe(2000)
  expect(retryAfterMs('86400')).toBe(30_000)
  expect(retryAfterMs(new Date(Date.now() + 5000).toUTCString())).toBeGreaterThan(3000)
  expect(retryAfterMs('soon')).toBe(0)
})
