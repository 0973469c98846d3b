import { expect, test } from 'vitest'
import { pollDomains, submitOrder } from '../../src/core/domains/certificates/poll-domains.ts'
import { sweepOrders } from '../../src/core/domains/certificates/store.ts'
import { acmeFailure, type RenewalWindow } from '../../src/drivers/acme/acme.ts'
import { ELSEWHERE, HERE, startStandIn } from './stand-in.ts'

// When a name is looked at, and which looks count.
const { ca, stage, names, world, org, look, until, named, valid, row, set, ordered, forgetOrders } =
  await startStandIn()
const { db, pool } = world.platform
const HOUR = 3600
const refused = async () => {
  throw acmeFailure('challenge_failed', 'The CA says no.')
}

test('a name whose next try is far away is still looked at every minute', async () => {
  ca.issuing = refused
  const project = await named('minute.example.com')
  await until(project, 'failing')
  await set(project)
  await look()
  const { seconds } = await row(project)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(seconds).toBeGreaterThan(5)
})

test('a name whose servers are slow is looked at every minute, however new it is', { timeout: 60_000 }, async () => {
  const project = await named('slow.example.com')
  names.zone['slow.example.com'] = 'silent'
  await look()
  expect((await row(project)).seconds).toBeGreaterThan(20)
})

test('one that has what it needs is looked at after some hours, or when its renewal comes', async () => {
  const project = await valid('quiet.example.com')
  await set(project)
  await look()
  expect((await row(project)).seconds).toBeGreaterThan(4 * HOUR)
  await set(project, "renew_at = now() + interval '1 hour'")
  await look()
  expect((await row(project)).seconds).toBeLessThanOrEqual(HOUR)
})

test('how long a name waits is counted from when it last led elsewhere or here, not from the last look', async () => {
  const project = await named('waits.example.com', ELSEWHERE)
  await until(project, 'pending_dns')
  await set(project, "waiting_since = now() - interval '3 days'")
  for (let n = 0; n < 2; n++) {
    await set(project)
    await look()
    expect((await row(project)).seconds).toBeGreaterThan(300)
  }
  names.zone['waits.example.com'] = { A: [HERE] }
  await set(project)
  await look()
  expect(Date.now() - (await row(project)).waiting_since.getTime()).toBeLessThan(HOUR * 1000)
})

test('a CA that never says when to renew does not hold up the look for ever', { timeout: 60_000 }, async () => {
  const project = await valid('mute.example.com')
  ca.window = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await set(project)
  await look()
  expect((await row(project)).seconds).toBeGreaterThan(HOUR)
})

test('a look that is stopped writes nothing', async () => {
  const project = await valid('stopped.example.com')
  const stop = new AbortController()
  ca.window = async () => {
    stop.abort(new Error('stopped'))
    return null
  }
  await set(project)
  await expect(pollDomains(stage.parts, stop.signal)).rejects.toThrow('stopped')
  expect((await row(project)).seconds).toBeLessThanOrEqual(0)
})

test('what a look saw is dropped while a run sees to the name', async () => {
  const project = await valid('busy.example.com')
  const asked = Promise.withResolvers<void>()
  const said = Promise.withResolvers<RenewalWindow>()
  const issuing = Promise.withResolvers<void>()
  ca.window = () => {
    asked.resolve()
    return said.promise
  }
  ca.issuing = () => issuing.promise
  await set(project)
  const looking = look()
  await asked.promise
  const before = await row(project)
  const wanted = { id: before.id, orgId: org.id, order: true }
  const run = await submitOrder(stage.parts, wanted)
  expect(await submitOrder(stage.parts, wanted)).toBe(run)
  said.resolve({ from: new Date(0), to: new Date(0), checkAfter: new Date() })
  await looking
  const { look_at, renew_at } = await row(project)
  expect([look_at, renew_at]).toEqual([before.look_at, before.renew_at])
  ca.window = async () => null
  issuing.resolve()
  await until(project, 'valid')
  expect(ca.orders).toHaveLength(2)
})

test('a name is looked at soon after its project got another, unless it has all it needs', async () => {
  const fine = await valid('fine.example.com')
  ca.issuing = refused
  const failing = await named('failing.example.com')
  await until(failing, 'failing')
  for (const [n, project] of [fine, failing].entries()) {
    await set(project)
    await pool.query("update certificate set look_at = now() + interval '1 hour' where project_id = $1", [project])
    await org.owner.api('POST', `/api/projects/${project}/domains`, { host: `more${n}.example.com` })
  }
  expect((await row(fine)).seconds).toBeGreaterThan(HOUR / 2)
  expect((await row(failing)).seconds).toBeLessThanOrEqual(0)
})

test('while the CA asks to wait, what it gave is laid out and nothing is ordered', async () => {
  const project = await valid('wait.example.com')
  await set(project, "limited_until = now() + interval '1 hour', renew_at = now(), installed = null")
  await look()
  await expect.poll(() => row(project)).toMatchObject({ run_id: null, installed: expect.any(String) })
  await set(project)
  await look()
  expect((await row(project)).run_id).toBeNull()
  expect(ca.hosts()).toEqual(['wait.example.com'])
})

test('no more than four are seen to at once', async () => {
  const busy = ['b0', 'b1', 'b2', 'b3'].map((name) => `${name}.example.com`)
  for (const host of busy) await named(host, ELSEWHERE)
  await pool.query("update certificate set run_id = 'run_other' where host = any($1)", [busy])
  const project = await named('fifth.example.com')
  await look()
  expect((await row(project)).run_id).toBeNull()
  await pool.query('update certificate set run_id = null where host = any($1)', [busy])
  await until(project, 'valid')
})

test('orders of the last three hours leave no room, older ones do', async () => {
  await forgetOrders()
  await ordered(org.id, 270, '2 hours 50 minutes')
  const project = await named('room.example.com')
  await look()
  expect((await row(project)).run_id).toBeNull()
  await forgetOrders()
  await ordered(org.id, 270, '3 hours 10 minutes')
  await until(project, 'valid')
})

test('orders are remembered for 30 days', async () => {
  await forgetOrders()
  await ordered(org.id, 2, '29 days')
  await ordered(org.id, 3, '31 days')
  await sweepOrders(db)
  expect((await pool.query('select 1 from acme_order')).rowCount).toBe(2)
})

test('nobody orders for a name of another organization', async () => {
  const project = await named('own.example.com', ELSEWHERE)
  const { id } = await row(project)
  const other = await world.org('Other')
  expect(await submitOrder(stage.parts, { id, orgId: other.id, order: true })).toBeUndefined()
  expect((await row(project)).run_id).toBeNull()
})
