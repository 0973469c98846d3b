import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import * as stored from '../../../src/core/cloud/relay/relay-store.ts'
import { take } from '../../../src/core/cloud/relay/take.ts'
import { settleAll } from '../githost/push-stage.ts'
import { commit, deliveriesOf, followed, headOf, startRelay } from './stage.ts'

const { line, home, cloud, pair, deliver, follow, state } = await startRelay()
const { db, pool } = home.platform

const WAIT = { timeout: 15_000, interval: 25 }
const STREAM = '/api/relay/stream'
let repo = 200
const asked = () => line.asked.filter((one) => one.includes(STREAM)).length
const running: { stop(): Promise<void> }[] = []
const started = (...all: Parameters<typeof follow>) => {
  const one = follow(...all)
  running.push(one)
  return one
}
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
  // Each test has a link of its own.
  await pool.query('delete from cloud_link')
})

/** A pair whose instance follows a branch; `push` moves it on at the host. */
async function branch(name: string) {
  const repoId = ++repo
  const both = await pair(name)
  const at = (n: number) => commit(`${repoId} ${n}`)
  await followed(home, both.here, repoId, at(0))
  let n = 0
  const push = async () => {
    expect((await deliver(repoId, at(n), at(n + 1))).status).toBe(202)
    n += 1
  }
  const taken = async () => (await deliveriesOf(home, both.here)).map(({ after }) => after)
  return { ...both, repoId, at, push, taken, head: () => headOf(home, both.here, repoId) }
}

test('what the cloud relays is taken as if the host had told it here: one delivery, one move, one decision', async () => {
  const { here, linkId, at, push, taken, head } = await branch('Relayed')
  started()
  await expect.poll(async () => (await state(here)).relay.state, WAIT).toBe('following')
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1)])
  await settleAll(home)
  expect(await head()).toMatchObject({ sha: at(1), seq: '2' })
  const [delivery] = await deliveriesOf(home, here)
  expect(delivery).toMatchObject({ hookKey: `cloud:${linkId}`, decision: 'skipped', reason: 'auto-deploy is off' })
  const { relay } = await state(here)
  expect(relay).toEqual({
    ...{ state: 'following', lastNumber: 1 },
    lastAt: expect.stringContaining('Z'),
    since: expect.stringContaining('Z'),
  })
})

test('a break is a reconnect with the last number: nothing is missed and nothing taken twice', async () => {
  const { at, push, taken, head } = await branch('Broken')
  const first = started()
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1)])
  await first.stop()
  for (let n = 0; n < 5; n++) await push()
  started()
  await push()
  await expect.poll(taken, WAIT).toEqual([1, 2, 3, 4, 5, 6, 7].map(at))
  await settleAll(home)
  expect((await head()).sha).toBe(at(7))
})

test('what a cloud told that was restored from a backup is not missed: its numbers were heard of before, and branches are looked at', async () => {
  const { here, linkId, at, push, taken, head } = await branch('Restored')
  const first = started()
  for (let n = 0; n < 3; n++) await push()
  await expect.poll(taken, WAIT).toEqual([1, 2, 3].map(at))
  await first.stop()
  const back = 'update instance_link set relayed = 1, relayed_mark = gen_random_uuid() where id = $1'
  await cloud.platform.pool.query(back, [linkId])
  await cloud.platform.pool.query('delete from relay_delivery where link_id = $1', [linkId])
  for (let n = 0; n < 2; n++) await push()
  await pool.query(`update githost_head set poll_at = now() + interval '1 hour'`)
  started()
  const isDue = async () => ((await head()).pollAt?.getTime() ?? 0) < Date.now() + 1000
  await expect.poll(isDue, WAIT).toBe(true)
  await push()
  await expect.poll(taken, WAIT).toEqual([1, 2, 3, 6].map(at))
  expect((await state(here)).relay.lastNumber).toBe(4)
})

test('of several processes one follows a link, and another takes over when it leaves', async () => {
  const { at, push, taken } = await branch('Several')
  const before = asked()
  const first = started()
  await expect.poll(asked, WAIT).toBe(before + 1)
  started()
  started()
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1)])
  expect(asked()).toBe(before + 1)
  await first.stop()
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1), at(2)])
})

test('the link of a process that died is followed by another when its lease has run out, and not before', async () => {
  const { here, at, push, taken } = await branch('Died')
  await pool.query(
    `update cloud_link set relay_claim = $1, relay_state = 'following', relay_until = now() + interval '3 seconds'`,
    [randomUUID()],
  )
  const before = asked()
  started()
  await push()
  expect((await state(here)).relay.state).toBe('following')
  const { rows } = await pool.query('select relay_until > now() as held from cloud_link')
  expect([rows[0].held, asked()]).toEqual([true, before])
  await expect.poll(taken, WAIT).toEqual([at(1)])
})

test('whoever followed it last and is not there any more is not said to follow', async () => {
  const { here } = await branch('Silent')
  expect((await state(here)).relay).toEqual({ state: 'off', lastNumber: 0, lastAt: null, since: null })
  await pool.query(`update cloud_link set relay_state = 'following', relay_until = now() - interval '1 second'`)
  expect((await state(here)).relay.state).toBe('waiting')
})

/** A link as a process holds it. */
async function held() {
  const claim = randomUUID()
  const [link] = await stored.takeFree(db, claim, 1)
  if (!link) throw new Error('there is no link to follow')
  return link
}
const event = (number: number, guid: string, more: object = {}) => {
  const { host } = home.config.githost
  const said = {
    ...{ host, action: null, repoId: 1, installationId: 1, repository: 'acme/shop', ref: 'refs/heads/main' },
    ...{ before: commit('x'), after: commit(guid), pusher: 'ada', message: 'Change', ...more },
  }
  return { id: String(number), event: 'delivery', data: JSON.stringify({ guid, event: 'push', said }) }
}

test('who has lost its lease takes nothing, and its number does not count', async () => {
  const { here } = await branch('Fenced')
  const lost = await held()
  await pool.query(`update cloud_link set relay_until = now() - interval '1 second'`)
  const link = await held()
  await expect(take(home.platform, lost, 0, [event(1, 'one')])).rejects.toThrow('another process')
  expect(await deliveriesOf(home, here)).toEqual([])
  expect(await take(home.platform, link, 0, [event(1, 'one')])).toBe(1)
  expect(await deliveriesOf(home, here)).toHaveLength(1)
})

test('a delivery that could not be stored does not count as taken, and is taken when it comes again', async () => {
  const { here } = await branch('Failing')
  const link = await held()
  const failing = { ...home.platform.relayed, store: () => Promise.reject(new Error('the disk is full')) }
  await expect(take({ ...home.platform, relayed: failing }, link, 0, [event(1, 'one')])).rejects.toThrow('disk')
  expect(await stored.seenOf(db, link)).toMatchObject({ number: 0 })
  expect(await take(home.platform, link, 0, [event(1, 'one')])).toBe(1)
  expect(await deliveriesOf(home, here)).toHaveLength(1)
})

test('the same delivery under two numbers, or one number twice, is taken once', async () => {
  const { here } = await branch('Doubled')
  const link = await held()
  const seen = await take(home.platform, link, 0, [event(1, 'same'), event(1, 'same'), event(2, 'same')])
  expect(await take(home.platform, link, seen, [event(1, 'same'), event(2, 'same'), event(3, 'other')])).toBe(3)
  const guids = (await deliveriesOf(home, here)).map(({ guid }) => guid)
  expect(guids).toEqual([`same:${here.id}`, `other:${here.id}`])
})

test('a number that jumps without a gap being told is not taken', async () => {
  const { here } = await branch('Jumped')
  const link = await held()
  await expect(take(home.platform, link, 0, [event(1, 'one'), event(3, 'three')])).rejects.toThrow('3 came after 1')
  expect([await stored.seenOf(db, link), await deliveriesOf(home, here)]).toEqual([{ number: 0, mark: null }, []])
})

test.each([
  ['a gap', [{ id: '', event: 'gap', data: '{"next":8}' }, event(8, 'eight')], 8],
  ['a delivery that cannot be read', [{ id: '1', event: 'delivery', data: '{"guid":1}' }, event(2, 'two')], 2],
])('after %s every branch that is followed is looked at, and the rest goes on', async (_, events, last) => {
  const { here, head } = await branch('Missed')
  await pool.query(`update githost_head set poll_at = now() + interval '1 hour'`)
  expect(await take(home.platform, await held(), 0, events)).toBe(last)
  expect((await head()).pollAt?.getTime()).toBeLessThan(Date.now() + 1000)
  expect(await deliveriesOf(home, here)).toHaveLength(1)
})

test('numbers of another git host mean nothing here', async () => {
  const { here, repoId, head } = await branch('Elsewhere')
  await take(home.platform, await held(), 0, [event(1, 'elsewhere', { host: 'git.example.com', repoId })])
  const [delivery] = await deliveriesOf(home, here)
  expect(delivery).toMatchObject({ decision: 'ignored', reason: 'it is about git.example.com' })
  expect((await head()).dirtyAt).toBeNull()
})

test('a link that was revoked is not asked about for a while, and says so', async () => {
  const { here, there, linkId } = await branch('Refused')
  started()
  await expect.poll(async () => (await state(here)).relay.state, WAIT).toBe('following')
  await there.owner.api('DELETE', `/api/links/${linkId}`)
  await expect.poll(async () => (await state(here)).relay.state, WAIT).toBe('refused')
  const before = asked()
  await new Promise((later) => setTimeout(later, 2500))
  expect([asked(), (await state(here)).relay.state]).toEqual([before, 'refused'])
}, 30_000)

test('a link that was refused is asked about again within the hour, and says meanwhile what is wrong', async () => {
  const { here, there, at, push, taken } = await branch('Asked again')
  const role = (to: string) =>
    cloud.platform.pool.query('update member set role = $1 where org_id = $2', [to, there.id])
  await role('developer')
  started()
  await expect.poll(async () => (await state(here)).relay.state, WAIT).toBe('refused')
  expect((await state(here)).problem).toContain('no owner or admin')
  const left = `select extract(epoch from relay_until - now())::integer as seconds, relay_claim from cloud_link`
  await expect.poll(async () => (await pool.query(left)).rows, WAIT).toMatchObject([{ relay_claim: null }])
  expect((await pool.query(left)).rows[0].seconds).toBeGreaterThan(3000)
  await role('owner')
  await push()
  await pool.query('update cloud_link set relay_until = now()')
  await expect.poll(taken, WAIT).toEqual([at(1)])
  const now = await state(here)
  expect([now.relay.state, now.problem]).toEqual(['following', undefined])
}, 60_000)

const streams = (to: ServerResponse) =>
  to.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'slipway-version': '0' })

test('a connection that says nothing is given up, and another one opened', async () => {
  const { at, push, taken } = await branch('Quiet')
  let quiet = 0
  const silent = (_: IncomingMessage, to: ServerResponse): undefined => {
    quiet += 1
    streams(to).flushHeaders()
  }
  await line.being(silent, async () => {
    started({ ...home.platform, silentMs: 300 } as typeof home.platform)
    await expect.poll(() => quiet, WAIT).toBeGreaterThan(1)
  })
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1)])
})

test('what stands before a cloud and says 403 in its place ends nothing', async () => {
  const { here, at, push, taken } = await branch('Gateway')
  let refused = 0
  const gateway = (_: IncomingMessage, to: ServerResponse): undefined => {
    refused += 1
    to.writeHead(403).end('no')
  }
  await line.being(gateway, async () => {
    started()
    await expect.poll(() => refused, WAIT).toBeGreaterThan(1)
  })
  expect((await state(here)).relay.state).not.toBe('refused')
  await push()
  await expect.poll(taken, WAIT).toEqual([at(1)])
})
