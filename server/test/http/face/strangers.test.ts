import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { networkOf } from '../../../src/core/networks/network-of.ts'
import { line } from '../../../src/http/limits/line.ts'
import { factories } from '../../matrix/factories.ts'

const world = await startWorld({ rate: { perAddress: 40, perToken: 1000 }, trustProxy: '127.0.0.1' })
const org = await world.org()
const deployment = (await factories(world).dep?.make(org))?.value ?? ''
await world.platform.pool.query('update deployment set finished_at = now() where id = $1', [deployment])
const session = (await factories(world).upl?.make(org))?.value ?? ''
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

let n = 0
const invented = () => `slp_invented${++n}`
/** Every route that is not limited for those who are known. */
const ROUTES = world.app.endpoints.filter(({ unlimited }) => unlimited !== undefined)
const paths: Record<string, [method: string, path: string]> = {
  '/api/deployments/:id/stream': ['GET', `/api/deployments/${deployment}/stream?since=99999`],
  '/api/githost/webhook': ['POST', '/api/githost/webhook?k=invented'],
  '/api/projects/folder-sessions/:id/blobs': ['POST', `/api/projects/folder-sessions/${session}/blobs`],
  '/api/projects/folder-sessions/:id/blobs/:sha': ['PUT', `/api/projects/folder-sessions/${session}/blobs/${sha256}`],
}
const ask = (path: string, token: string, address: string) => {
  const [method, url] = paths[path] ?? ['GET', path]
  const body = path.includes('/blobs') ? Buffer.alloc(0) : undefined
  const type = method === 'PUT' ? 'application/octet-stream' : 'application/gzip'
  const headers = { 'x-forwarded-for': address, ...(body && { 'content-type': type }) }
  const signed = {
    'x-github-event': 'push',
    'x-github-delivery': 'a',
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  }
  if (method === 'POST' && !body) return world.as(token)(method, url, {}, { ...headers, ...signed })
  return world.as(token)(method, url, body, headers)
}

let queries = 0
const { pool } = world.platform
const query = pool.query.bind(pool)
pool.query = ((...args: unknown[]) => {
  queries++
  return (query as (...all: unknown[]) => unknown)(...args)
}) as typeof pool.query

test.each(ROUTES.map(({ path }) => [path]))(
  'invented credentials are counted by address before they are looked up: %s',
  async (path) => {
    expect(paths[path], 'a new route that is not limited needs a request here').toBeDefined()
    const address = `203.0.113.${++n % 250}`
    queries = 0
    const burst = await Promise.all(Array.from({ length: 300 }, () => ask(path, invented(), address)))
    const count = (status: number) => burst.filter((answer) => answer.status === status).length
    expect([count(401), count(429)]).toEqual([40, 260])
    expect(queries).toBeLessThanOrEqual(45)
    const late = await ask(path, invented(), address)
    expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await ask(path, invented(), '198.51.100.1')).status).toBe(401)
  },
)

test('a credential that was good lately is not kept out by strangers from the same address, nor limited itself', async () => {
  const path = '/api/deployments/:id/stream'
  const address = '203.0.113.251'
  expect((await ask(path, org.owner.token, address)).status).toBe(204)
  for (let i = 0; i < 45; i++) await ask(path, invented(), address)
  expect((await ask(path, invented(), address)).status).toBe(429)
  const many = await Promise.all(Array.from({ length: 100 }, () => ask(path, org.owner.token, address)))
  expect(many.every(({ status }) => status === 204)).toBe(true)
  const person = await world.person(org.id, 'viewer')
  expect((await ask(path, person.token, '203.0.113.252')).status).toBe(204)
  await world.platform.db.deleteFrom('token').where('userId', '=', person.userId).execute()
  expect((await ask(path, person.token, '203.0.113.252')).status).toBe(401)
})

test('addresses of one IPv6 network are one', async () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'))
  expect(networkOf('2001:db8:1:2::9')).not.toBe(networkOf('2001:db8:1:3::9'))
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
  const answers = []
  for (let i = 0; i < 45; i++)
    answers.push(await ask('/api/deployments/:id/stream', invented(), `2001:db8:7:7::${i + 1}`))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
})

test('the line of those who wait has an end', async () => {
  const inLine = line(2, 5)
  const ends: (() => void)[] = []
  const wait = () => inLine(() => new Promise<void>((end) => ends.push(end)))
  const here = Array.from({ length: 5 }, wait)
  await expect(wait()).rejects.toMatchObject({ code: 'rate_limited' })
  for (let left = here.length; left > 0; left--) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()?.()
  }
  await Promise.all(here)
  await inLine(async () => {})
})

test('a code can be tried only so often from one address, because each try costs a hash', async () => {
  const accept = (address: string) =>
    world.as('')(
      'POST',
      '/api/auth/accept',
      { code: 'x'.repeat(40), password: 'correct horse battery' },
      { 'x-forwarded-for': address },
    )
  const tries = []
  for (let i = 0; i < 22; i++) tries.push((await accept('192.0.2.33')).status)
  expect(tries.filter((status) => status === 429)).toHaveLength(2)
  expect((await accept('192.0.2.34')).status).toBe(400)
})
