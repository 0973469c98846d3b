import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { tool } from '../../../../lab/tools.ts'
import { authorities } from '../../../../test-kit/tls-listeners.ts'
import type { CallOptions } from './call.ts'
import type { CloudFailure } from './cloud.ts'
import { httpCloud } from './http-cloud.ts'

const made = authorities(tool('openssl'))
const authority = made.authority('A cloud of our own')
const heard: string[] = []
let answer: { status: number; headers?: Record<string, string>; body: string } = { status: 200, body: '{}' }
const server = createServer(authority.issue(['localhost']), (request, response) => {
  heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
  response.writeHead(answer.status, answer.headers).end(answer.body)
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const url = `https://localhost:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
  made.remove()
})

const door = (more: Partial<CallOptions> = {}) =>
  httpCloud({
    url,
    extraRoots: async () => [authority.root],
    mayConnect: (address) => address === '127.0.0.1' || address === '::1',
    mayConnectPlain: () => false,
    ...more,
  })
const secrets = { requestId: 'r', verifier: 'v' }
const failed = (calling: Promise<unknown>) =>
  calling.then(
    () => null,
    (error: CloudFailure) => error,
  )

test('a cloud whose certificate an authority of the operator’s vouches for is asked, any other is not', async () => {
  answer = { status: 200, body: '{}' }
  expect(await door().takes('slp_1')).toBe(true)
  heard.length = 0
  const untrusted = await failed(door({ extraRoots: async () => [] }).takes('slp_1'))
  expect([untrusted?.code, heard]).toEqual(['cloud_untrusted', []])
  expect(untrusted?.hint).toContain('SLIPWAY_CLOUD_CA_FILE')
})

test('nothing is sent to an address that may not be connected to, nor without TLS where nobody has named the network', async () => {
  heard.length = 0
  for (const one of [door({ mayConnect: () => false }), door({ url: url.replace('https', 'http') })])
    expect((await failed(one.takes('slp_1')))?.code).toBe('address_refused')
  expect(heard).toEqual([])
})

test('a credential that is refused is told from a cloud that fails, which says nothing about it', async () => {
  answer = { status: 401, body: '{"code":"credentials_invalid"}' }
  expect(await door().takes('slp_1')).toBe(false)
  await door().endLink('slp_1')
  for (const status of [403, 404, 500, 503]) {
    answer = { status, body: '{"error":"slp_1"}' }
    for (const call of [door().takes('slp_1'), door().endLink('slp_1')]) {
      const failure = await failed(call)
      expect(failure?.driver).toBe('cloud')
      expect(`${failure?.message} ${failure?.hint} ${JSON.stringify(failure?.cause)}`).not.toContain('slp_1')
    }
  }
})

test.each([
  [400, 'authorization_pending', { kind: 'pending' }],
  [400, 'slow_down', { kind: 'slow_down', seconds: 20 }],
  [429, 'rate_limited', { kind: 'slow_down', seconds: 20 }],
  [400, 'access_denied', { kind: 'denied' }],
  [400, 'expired_token', { kind: 'expired' }],
  [400, 'invalid_grant', { kind: 'spent' }],
])('%i %s is understood as RFC 8628 means it', async (status, code, fetched) => {
  answer = { status, headers: { 'retry-after': '20' }, body: JSON.stringify({ code }) }
  expect(await door().fetchCredential(secrets)).toEqual(fetched)
})

test.each(['{}', '[]', 'null', '', '<html>', '{"secret":7}', '{"secret":"a\\nb"}', '{"secret":"with a space"}'])(
  'an answer without a credential is none: %s',
  async (body) => {
    answer = { status: 200, body }
    expect((await failed(door().fetchCredential(secrets)))?.code).toBe('no_cloud')
  },
)

test('names of the cloud’s are taken as one line of text that can be seen, and nothing else makes a link', async () => {
  const link = { id: 'lnk_1', organizationId: 'org_1', organizationName: 'Engine works' }
  const given = (more: object) => {
    answer = { status: 200, body: JSON.stringify({ secret: 'slp_1', link: { ...link, ...more } }) }
    return door().fetchCredential(secrets)
  }
  expect(await given({})).toMatchObject({
    kind: 'granted',
    link: { id: 'lnk_1', orgId: 'org_1', orgName: 'Engine works' },
  })
  for (const organizationName of ['', 'a\u0000b', 'a\u001b[2J', 'a\u202eb', 'x'.repeat(301), 7, null])
    expect(await given({ organizationName })).toMatchObject({ kind: 'granted', link: null })
})
