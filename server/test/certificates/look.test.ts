import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../test-kit/serve-names.ts'
import { startWorld } from '../../../test-kit/world.ts'
import { pollDomains, submitOrder } from '../../src/core/domains/certificates/poll-domains.ts'
import { acmeFailure, type Issued, type RenewalWindow } from '../../src/drivers/acme/acme.ts'
import { edgeFailure } from '../../src/drivers/edge/edge.ts'
import { startCertificates } from './stage.ts'

// The planning and the durable run on a real database and real DNS. CA and edge are stand-ins that fail at the moment a case
// needs; `bin/prove tls` shows the same with real ones.
const HERE = '192.0.2.10'
const zone: Record<string, ZoneEntry> = {}
const names = await serveNames(zone)
const acme = { directoryUrl: 'https://ca.test/dir', caFile: null, contact: null, eab: null }
const world = await startWorld({ dnsServers: [names.server], publicAddresses: [HERE], acme })
const org = await world.org()
const { api } = org.owner
const { pool } = world.platform
const signal = new AbortController().signal

let orders: string[] = []
let issuing: (host: string) => Promise<void> = async () => {}
let window: () => Promise<RenewalWindow | null> = async () => null

let serial = 0
const issued = (host: string): Issued => ({
  chainPem: 'chain',
  keyPem: 'key',
  serial: String(++serial),
  issuer: 'Test CA',
  hosts: [host],
  notBefore: new Date(),
  notAfter: new Date(Date.now() + 90 * 86_400_000),
})

const authority = {
  enabled: true,
  target: async () => ({ directoryUrl: acme.directoryUrl }),
  contact: [],
  newKey: async () => 'key',
  dns: null,
  client: {
    account: async () => ({ keyPem: 'key', url: 'https://ca.test/1' }),
    renewalWindow: () => window(),
    issue: async (_: unknown, { hosts: [host = ''] }: { hosts: string[] }) => {
      orders.push(host)
      await issuing(host)
      return issued(host)
    },
  },
}
const stage = await startCertificates(world, authority)
const { parts } = stage

beforeAll(() => api('POST', '/api/servers', { kind: 'local', name: 'here' }))
afterAll(async () => {
  await stage.stop()
  names.close()
})
beforeEach(() => {
  orders = []
  stage.installed.clear()
  issuing = async () => {}
  window = async () => null
  stage.edge.before = async () => {}
})

const look = () => pollDomains(parts, signal)
const named = (host: string, more = {}) => stage.named(org, host, more)
const until = (project: string, state: string) => stage.until(api, project, state, look)
const domainWhen = (project: string, state: string) => stage.until(api, project, state, async () => {})
const installs = () => [...stage.installed].flatMap(([host, all]) => all.map(() => host))
/** As if that moment had come. */
const later = (project: string, column: 'renew_at' | 'next_try_at' | 'waiting_since' = 'waiting_since') =>
  pool.query(`update certificate set ${column} = now(), look_at = now() where project_id = $1`, [project])

test('a name that leads elsewhere waits without an order, and gets a certificate once it leads here', async () => {
  zone['a.example.com'] = { A: ['192.0.2.99'] }
  const project = await named('a.example.com')
  const waiting = await until(project, 'pending_dns')
  expect(waiting.dns).toMatchObject({ ok: false, wanted: [HERE], found: { addresses: ['192.0.2.99'] } })
  expect(orders).toEqual([])
  zone['a.example.com'] = { A: [HERE] }
  const valid = await until(project, 'valid')
  expect([orders, installs()]).toEqual([['a.example.com'], ['a.example.com']])
  expect(valid.certificate).toMatchObject({ issuer: 'Test CA', daysLeft: 89, reason: null })
})

test('a project without a release gets no certificate yet', async () => {
  zone['b.example.com'] = { A: [HERE] }
  const project = await named('b.example.com', { live: false })
  const seen = await until(project, 'pending_dns')
  expect(seen.certificate.reason).toContain('no active release')
  expect(orders).toEqual([])
})

test('what the CA refuses is told with the next try, not tried before, and at once when the name was wrong in between', async () => {
  zone['c.example.com'] = { A: [HERE] }
  issuing = async () => {
    throw acmeFailure('challenge_failed', 'The CA says: connection refused.')
  }
  const project = await named('c.example.com')
  const failing = await until(project, 'failing')
  expect(failing.certificate.reason).toContain('connection refused')
  expect(new Date(failing.certificate.nextTryAt).getTime()).toBeGreaterThan(Date.now() + 10 * 60_000)
  issuing = async () => {}
  for (let n = 0; n < 3; n++) {
    await later(project)
    await look()
  }
  expect(orders).toHaveLength(1)
  zone['c.example.com'] = { A: ['192.0.2.99'] }
  await later(project)
  await look()
  zone['c.example.com'] = { A: [HERE] }
  await later(project)
  await until(project, 'valid')
  expect(orders).toHaveLength(2)
})

test('a CA that asks to wait is not asked before, even when the name becomes right', async () => {
  zone['d.example.com'] = { A: [HERE] }
  const retryAfter = new Date(Date.now() + 2 * 3_600_000)
  issuing = async () => {
    throw acmeFailure('rate_limited', 'The CA says: too many.', { retryAfter })
  }
  const project = await named('d.example.com')
  const { certificate } = await until(project, 'failing')
  expect(new Date(certificate.nextTryAt).getTime()).toBeGreaterThanOrEqual(retryAfter.getTime())
  for (const address of ['192.0.2.99', HERE]) {
    zone['d.example.com'] = { A: [address] }
    await later(project)
    await look()
  }
  expect(orders).toHaveLength(1)
})

test('what was issued and did not reach the edge is laid out again, without another order', async () => {
  zone['e.example.com'] = { A: [HERE] }
  stage.edge.before = async () => {
    throw edgeFailure('edge_timeout', 'The edge cannot be reached.')
  }
  const project = await named('e.example.com')
  expect((await until(project, 'failing')).certificate.reason).toBe('The edge cannot be reached.')
  stage.edge.before = async () => {}
  await later(project, 'next_try_at')
  await until(project, 'valid')
  expect([orders, installs()]).toEqual([['e.example.com'], ['e.example.com']])
})

test('renewal comes in its time; while it fails the certificate stays, and the reason is told', async () => {
  zone['f.example.com'] = { A: [HERE] }
  const project = await named('f.example.com')
  const first = await until(project, 'valid')
  issuing = async () => {
    throw acmeFailure('ca_failed', 'The CA is out.')
  }
  await later(project, 'renew_at')
  const failing = await until(project, 'failing')
  expect(failing.certificate).toMatchObject({ serial: first.certificate.serial, reason: 'The CA is out.' })
  issuing = async () => {}
  await later(project, 'next_try_at')
  const second = await until(project, 'valid')
  expect(second.certificate.serial).not.toBe(first.certificate.serial)
})

test('what fails while a look is under way is kept, and the CA is asked no sooner than it said', async () => {
  zone['h.example.com'] = { A: [HERE] }
  const project = await named('h.example.com')
  await until(project, 'valid')
  const asked = Promise.withResolvers<void>()
  const said = Promise.withResolvers<RenewalWindow>()
  window = () => {
    asked.resolve()
    return said.promise
  }
  await later(project)
  const looking = look()
  await asked.promise
  issuing = async () => {
    throw acmeFailure('rate_limited', 'The CA says: too many.', {
      retryAfter: new Date(Date.now() + 2 * 3_600_000),
    })
  }
  const { id } = (await pool.query('select id from certificate where project_id = $1', [project])).rows[0]
  await submitOrder(parts, { id, orgId: org.id, order: true })
  const failure = await domainWhen(project, 'failing')
  said.resolve({ from: new Date(0), to: new Date(0), checkAfter: new Date() })
  await looking
  expect((await domainWhen(project, 'failing')).certificate).toEqual(failure.certificate)
  expect(orders).toHaveLength(2)
})

test('a CA that does not say when to renew is not asked for every name of a round, and what was planned stays', async () => {
  const hosts = Array.from({ length: 40 }, (_, n) => `w${n}.example.com`)
  for (const host of hosts) zone[host] = { A: [HERE] }
  const projects = await Promise.all(hosts.map((host) => named(host)))
  for (const project of projects) await until(project, 'valid')
  let times = 0
  window = async () => {
    times++
    throw acmeFailure('ca_failed', 'The CA is out.')
  }
  const plans = () => pool.query('select host, renew_at from certificate order by host')
  const before = (await plans()).rows
  await pool.query('update certificate set look_at = now() where project_id = any($1)', [projects])
  await look()
  expect((await plans()).rows).toEqual(before)
  expect(times).toBeLessThanOrEqual(32)
})

test('a name that leads elsewhere when it is to be renewed keeps its certificate and says so', async () => {
  zone['g.example.com'] = { A: [HERE] }
  const project = await named('g.example.com')
  await until(project, 'valid')
  zone['g.example.com'] = { A: ['192.0.2.99'] }
  await later(project, 'renew_at')
  const failing = await until(project, 'failing')
  expect(failing.certificate.reason).toBe('g.example.com leads to 192.0.2.99; set A 192.0.2.10 instead.')
  expect(orders).toHaveLength(1)
})

test('many names at once are ordered once each, though two processes look at the same time', async () => {
  const many = Array.from({ length: 12 }, (_, n) => `m${n}.example.com`)
  for (const host of many) zone[host] = { A: [HERE] }
  const projects = await Promise.all(many.map((host) => named(host)))
  await Promise.all([...Array(4)].map(look))
  for (const project of projects) await until(project, 'valid')
  expect(orders.toSorted()).toEqual(many.toSorted())
})

test('a look waits for nobody: a name that is being changed is left to the next one', async () => {
  const [held, free] = ['x0.example.com', 'x1.example.com']
  for (const host of [held, free]) zone[host] = { A: ['192.0.2.99'] }
  await Promise.all([held, free].map((host) => named(host)))
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select 1 from certificate where host = $1 for update', [held])
  await look()
  const { rows } = await pool.query('select host from certificate where host like $1 and dns is not null', ['x_.%'])
  expect(rows).toEqual([{ host: free }])
  await client.query('rollback')
  client.release()
})

test('a certificate that ends tomorrow is renewed before the many new names of another organization', async () => {
  const quiet = await world.org('Quiet')
  await quiet.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'there', host: HERE })
  zone['quiet.example.com'] = { A: [HERE] }
  const project = await stage.named(quiet, 'quiet.example.com')
  await stage.until(quiet.owner.api, project, 'valid', look)
  await pool.query(
    `update certificate set not_before = now() - interval '89 days', not_after = now() + interval '1 day', renew_at = now(),
     look_at = now() where project_id = $1`,
    [project],
  )
  const many = Array.from({ length: 40 }, (_, n) => `loud${n}.example.com`)
  for (const host of many) zone[host] = { A: [HERE] }
  const projects = await Promise.all(many.map((host) => named(host)))
  // Those that were there first are looked at first.
  await pool.query(`update certificate set look_at = now() - interval '1 hour' where project_id = any($1)`, [projects])
  orders = []
  await look()
  await expect.poll(() => orders).toContain('quiet.example.com')
  expect(orders.length).toBeLessThanOrEqual(4)
  for (const one of projects) await until(one, 'valid')
})

test('names whose servers never answer hold up nobody of another organization', async () => {
  const quiet = await world.org('Patient')
  await quiet.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'there', host: HERE })
  const many = Array.from({ length: 60 }, (_, n) => `mute${n}.example.com`)
  for (const host of many) zone[host] = 'silent'
  const projects = await Promise.all(many.map((host) => named(host)))
  zone['patient.example.com'] = { A: [HERE] }
  const project = await stage.named(quiet, 'patient.example.com')
  await pool.query(`update certificate set look_at = now() - interval '1 hour' where project_id = any($1)`, [projects])
  await pool.query('update certificate set look_at = now() where project_id = $1', [project])
  const looking = look()
  await expect.poll(() => orders).toEqual(['patient.example.com'])
  const { rows } = await pool.query(
    'select count(*)::int as n from certificate where project_id = any($1) and dns is null',
    [projects],
  )
  // They are still being looked at: 8 at a time, each for seconds.
  expect(rows[0].n).toBeGreaterThan(20)
  await looking
  await pool.query('delete from certificate where project_id = any($1)', [projects])
})
