import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SentEvent } from '../../../src/core/cloud/relay/read-events.ts'
import { pushBody, send } from '../githost/push-stage.ts'
import { commit, startRelay } from './stage.ts'

const { cloud, app, pair, deliver, listen } = await startRelay()
const { pool } = cloud.platform

const WAIT = { timeout: 10_000, interval: 20 }
let repo = 100
const push = (guid?: string) => deliver(++repo, commit(`${repo} a`), commit(`${repo} b`), guid)
const kept = async (linkId: string) =>
  (await pool.query('select number, guid from relay_delivery where link_id = $1 order by number', [linkId])).rows

test('numbers of a link have no gap and no double, however many deliveries come at once', async () => {
  const { linkId, credential } = await pair('Numbers')
  const live = await listen(credential)
  const guids = Array.from({ length: 60 }, () => randomUUID())
  const answers = await Promise.all(guids.map((guid) => push(guid)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  const numbers = guids.map((_, n) => n + 1)
  await expect.poll(live.numbers, WAIT).toEqual(numbers)
  const rows = await kept(linkId)
  expect(rows.map(({ number }) => Number(number))).toEqual(numbers)
  expect(new Set(rows.map(({ guid }) => guid))).toEqual(new Set(guids))
})

test('a delivery tells ids, ref and commits, and nothing else of its body', async () => {
  const { credential } = await pair('Small')
  const live = await listen(credential)
  const guid = randomUUID()
  await deliver(++repo, commit('small a'), commit('small b'), guid)
  await expect.poll(live.numbers, WAIT).toEqual([1])
  expect(JSON.parse(live.heard[0]?.data ?? '')).toEqual({
    guid,
    event: 'push',
    mark: expect.stringMatching(/^[0-9a-f-]{36}$/),
    said: {
      ...{ host: cloud.config.githost.host, action: null, repoId: repo, installationId: 7001, repository: 'acme/shop' },
      ...{ ref: 'refs/heads/main', before: commit('small a'), after: commit('small b'), pusher: 'ada' },
      message: 'Change',
    },
  })
})

test('a reader that comes back with its last number misses nothing and sees nothing twice', async () => {
  const { linkId, credential } = await pair('Again')
  for (let n = 0; n < 5; n++) await push()
  const first = await listen(credential)
  await expect.poll(first.numbers, WAIT).toEqual([1, 2, 3, 4, 5])
  first.close()
  const byHeader = await listen(credential, '', { 'last-event-id': '3' })
  await expect.poll(byHeader.numbers, WAIT).toEqual([4, 5])
  const byQuery = await listen(credential, '?after=4')
  await push()
  await expect.poll(byQuery.numbers, WAIT).toEqual([5, 6])
  // What was taken is forgotten.
  expect((await kept(linkId)).map(({ number }) => Number(number))).toEqual([5, 6])
})

test('a delivery that the host sends again is relayed once', async () => {
  const { linkId } = await pair('Twice')
  const guid = randomUUID()
  const [before, after] = [commit('twice a'), commit('twice b')]
  await Promise.all([1, 2, 3].map(() => deliver(5001, before, after, guid)))
  await deliver(5001, before, after, guid)
  expect(await kept(linkId)).toHaveLength(1)
  // Somebody to whom it is news tells it to nobody else.
  const later = await pair('Later')
  await deliver(5001, before, after, guid)
  expect(await kept(later.linkId)).toHaveLength(1)
  expect(await kept(linkId)).toHaveLength(1)
})

test('what is not kept any more is told as a gap, and so is a number that was never given', async () => {
  const { linkId, credential } = await pair('Gaps')
  for (let n = 0; n < 4; n++) await push()
  await pool.query('delete from relay_delivery where link_id = $1 and number < 3', [linkId])
  const behind = await listen(credential, '?after=0')
  await expect.poll(behind.numbers, WAIT).toEqual([3, 4])
  expect(gapIn(behind.heard)).toMatchObject({ next: 3, mark: expect.any(String) })
  const ahead = await listen(credential, '?after=900')
  await expect.poll(() => gapIn(ahead.heard), WAIT).toMatchObject({ next: 5, mark: expect.any(String) })
  await push()
  await expect.poll(ahead.numbers, WAIT).toEqual([5])
})

const gapIn = ([first]: SentEvent[]) => (first?.event === 'gap' && first.id === '' ? JSON.parse(first.data) : null)
const marksIn = (heard: SentEvent[]) =>
  heard.filter(({ event }) => event === 'delivery').map(({ data }) => JSON.parse(data).mark as string)

/** As its backup was when only one delivery had been told: numbers from two on are given again. */
async function restore(linkId: string) {
  await pool.query('delete from relay_delivery where link_id = $1 and number > 1', [linkId])
  await pool.query(
    `update instance_link set relayed = 1, relayed_mark = (select mark from relay_delivery where link_id = id and number = 1)
     where id = $1`,
    [linkId],
  )
}

test('a cloud that was restored gives numbers again: who has heard others is told of a gap, and what was told since is kept', async () => {
  const { linkId, credential } = await pair('Restored')
  for (let n = 0; n < 3; n++) await push()
  const before = await listen(credential)
  await expect.poll(before.numbers, WAIT).toEqual([1, 2, 3])
  before.close()
  const [, , third] = marksIn(before.heard)
  await restore(linkId)
  for (let n = 0; n < 3; n++) await push()
  const again = await listen(credential, `?after=3&mark=${third}`)
  await expect.poll(() => gapIn(again.heard), WAIT).toMatchObject({ next: 5 })
  expect((await kept(linkId)).map(({ number }) => Number(number))).toEqual([1, 2, 3, 4])
  // From there on it is of this history, wherever it breaks off.
  const { mark } = gapIn(again.heard)
  await push()
  await expect.poll(again.numbers, WAIT).toEqual([5])
  again.close()
  const whole = await listen(credential, `?after=4&mark=${mark}`)
  await expect.poll(whole.numbers, WAIT).toEqual([5])
  expect(gapIn(whole.heard)).toBeNull()
  whole.close()
  const newest = await listen(credential, `?after=5&mark=${third}`)
  await expect.poll(() => gapIn(newest.heard), WAIT).toMatchObject({ next: 6 })
})

test('a stream that is open while its cloud goes back to a backup is told of a gap', async () => {
  const { linkId, credential } = await pair('Went back')
  for (let n = 0; n < 3; n++) await push()
  const live = await listen(credential)
  await expect.poll(live.numbers, WAIT).toEqual([1, 2, 3])
  await restore(linkId)
  for (let n = 0; n < 2; n++) await push()
  await expect.poll(() => live.heard.slice(3).some(({ event }) => event === 'gap'), WAIT).toBe(true)
})

test('of one link a newer stream takes the place of an older one, which is told so and ends', async () => {
  const { credential } = await pair('One')
  const older = await listen(credential)
  const newer = await listen(credential)
  await older.ended
  expect(older.heard.map(({ event }) => event)).toEqual(['replaced'])
  await push()
  await expect.poll(newer.numbers, WAIT).toEqual([1])
  expect(older.numbers()).toEqual([])
})

test('only the credential of a link hears anything, and only what concerns its own organization', async () => {
  const [one, other] = [await pair('Mine'), await pair('Theirs')]
  const stranger = await cloud.as(one.there.owner.token)('GET', '/api/relay/stream')
  expect([stranger.status, stranger.body.code]).toEqual([403, 'link_required'])
  expect(stranger.body.hint).toContain('/api/githost/deliveries')
  const session = await cloud.as('')('GET', '/api/relay/stream', undefined, await cloud.session(one.there.owner))
  expect([session.status, session.body.code]).toEqual([403, 'link_required'])
  // Of this repository only one of them has proved anything.
  await pool.query('update githost_link set repo_ids = array[9999] where org_id = $1', [other.there.id])
  const [mine, theirs] = [await listen(one.credential), await listen(other.credential)]
  await push()
  await expect.poll(mine.numbers, WAIT).toEqual([1])
  expect(await kept(other.linkId)).toEqual([])
  expect(theirs.heard).toEqual([])
})

test('a link that is revoked ends its stream, and its credential opens no other', async () => {
  const { there, linkId, credential } = await pair('Revoked')
  const live = await listen(credential)
  expect((await there.owner.api('DELETE', `/api/links/${linkId}`)).status).toBe(200)
  await live.ended
  expect((await listen(credential)).status).toBe(401)
  expect(await kept(linkId)).toEqual([])
}, 20_000)

test('whoever approved a link and is no owner or admin any more has it hear nothing from then on', async () => {
  const { there, linkId, credential } = await pair('Lowered')
  const live = await listen(credential)
  await pool.query("update member set role = 'developer' where org_id = $1 and user_id = $2", [
    there.id,
    there.owner.userId,
  ])
  await live.ended
  const refused = await cloud.as(credential)('GET', '/api/relay/stream')
  expect([refused.status, refused.body.code]).toEqual([403, 'link_required'])
  expect(refused.body.error).toContain('no owner or admin')
  // The link is there: what is told meanwhile waits for an owner or admin to approve it anew, or for its end.
  await push()
  expect(live.numbers()).toEqual([])
  expect(await kept(linkId)).toHaveLength(1)
}, 20_000)

test('more than ten thousand are not kept for one link', async () => {
  const { linkId } = await pair('Many')
  await pool.query(
    `insert into relay_delivery (link_id, number, guid, event, said)
     select $1, n, 'many-' || n, 'push', '{}' from generate_series(1, 10099) n`,
    [linkId],
  )
  await pool.query('update instance_link set relayed = 10099 where id = $1', [linkId])
  await push()
  const rows = await kept(linkId)
  expect(rows.length).toBeLessThanOrEqual(10_000)
  expect(Number(rows.at(-1)?.number)).toBe(10_100)
})

test('what is relayed of a delivery has at most 16 KB, whatever its message', async () => {
  const { linkId } = await pair('Long')
  const pushed = { repoId: ++repo, before: commit('long a'), after: commit('long b'), message: '\u0001'.repeat(8000) }
  expect((await send(cloud, app, pushBody(app, 'acme/shop', pushed))).status).toBe(202)
  const { rows } = await pool.query('select said from relay_delivery where link_id = $1', [linkId])
  expect(JSON.stringify(rows[0].said).length).toBeLessThan(16 * 1024)
  expect(rows[0].said.after).toBe(commit('long b'))
})

test('a process that is asked to end tells its streams to come back', async () => {
  const { credential } = await pair('Drained')
  const live = await listen(credential)
  cloud.drain()
  await live.ended
})
