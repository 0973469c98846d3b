import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sweepLinkAttempts } from '../../../src/core/cloud/attempt-store.ts'
import { startTwoWorlds } from './two-worlds.ts'

const { line, cloud, home, atCloud, rest, state, begin, signedIn, look, forget, secretsOf, linked, linksOf } =
  await startTwoWorlds()
const pool = home.platform.pool

test('a link that was refused there is told so here, and can be asked for again', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const { userCode } = await begin(here)
  await (await signedIn(there.owner)).deny(userCode)
  const shown = await look(here)
  expect([shown.state, shown.userCode]).toEqual(['none', undefined])
  expect(shown.problem).toContain('refused')
  expect((await state(here)).problem).toBe(shown.problem)
  expect((await begin(here)).userCode).not.toBe(userCode)
  expect(await look(here)).toMatchObject({ state: 'pending' })
})

test('one that nobody approves in time is told so, by either clock, and swept a day later', async () => {
  const [here, other] = [await home.org(), await home.org()]
  await begin(here)
  await begin(other)
  await pool.query(`update link_attempt set expires_at = now() - interval '1 second' where org_id = $1`, [here.id])
  await atCloud.later(11)
  const asked = line.asked.length
  for (const org of [here, other])
    expect(await look(org)).toMatchObject({ state: 'none', problem: expect.stringContaining('in time') })
  expect(line.asked.length, 'only the one that looked open was asked about').toBe(asked + 1)
  await pool.query(`update link_attempt set expires_at = now() - interval '25 hours'`)
  await sweepLinkAttempts(home.platform.db)
  expect(await state(here)).toEqual({ state: 'none', cloudUrl: line.url })
})

test('the cloud is asked once per interval whoever looks, and less often when it says so', async () => {
  const here = await home.org()
  await begin(here)
  const asked = line.asked.length
  await state(here)
  expect(line.asked.length, 'not before the first interval is over').toBe(asked)
  await rest()
  await Promise.all(Array.from({ length: 6 }, () => state(here)))
  expect(line.asked.length).toBe(asked + 1)
  await pool.query('update link_attempt set ask_at = now()')
  expect(await state(here)).toMatchObject({ state: 'pending' })
  const { rows } = await pool.query(
    `select interval_seconds, ask_at > now() + interval '8 seconds' as later from link_attempt where org_id = $1`,
    [here.id],
  )
  expect(rows).toEqual([{ interval_seconds: 10, later: true }])
})

test('many who look at once after the approval make one link', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const { userCode } = await begin(here)
  await (await signedIn(there.owner)).approve(userCode)
  await rest()
  const seen = await Promise.all(Array.from({ length: 8 }, () => state(here)))
  expect(seen.filter((one) => one.state === 'linked').length).toBeGreaterThan(0)
  expect(await state(here)).toMatchObject({ state: 'linked' })
  expect((await linksOf(there)).length).toBe(1)
})

test('an answer with the credential that was lost is no link: the next question ends it there and says so here', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const { userCode } = await begin(here)
  await (await signedIn(there.owner)).approve(userCode)
  await rest()
  const lost = await line.being('answer lost', () => state(here))
  expect([lost.state, (await linksOf(there)).length]).toEqual(['pending', 1])
  expect(lost.problem).toContain('cannot be reached')
  const shown = await look(here)
  expect([shown.state, await linksOf(there)]).toEqual(['none', []])
  expect(shown.problem).toContain('did not arrive')
  expect((await there.owner.api('GET', '/api/tokens')).body.data.map((one: { name: string }) => one.name)).toEqual([
    'test',
  ])
})

test('a process that died while it asked holds the others up for seconds, and no longer', async () => {
  const here = await home.org()
  await begin(here)
  await rest()
  const { db } = home.platform
  const { lease, find } = await import('../../../src/core/cloud/attempt-store.ts')
  const attempt = await find(db, here.id)
  if (!attempt) throw new Error('no attempt')
  expect(await lease(db, attempt, 1)).toBeDefined()
  expect(await lease(db, attempt, 1)).toBeUndefined()
  await expect.poll(() => lease(db, attempt, 1), { timeout: 5000 }).toBeDefined()
})

test('what was approved after it was given up here, or begun again, links nobody', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const ada = await signedIn(there.owner)
  const first = await begin(here)
  const second = await begin(here)
  await ada.approve(first.userCode)
  expect(await look(here)).toMatchObject({ state: 'pending', userCode: second.userCode })
  const ended = await here.owner.api('DELETE', '/api/cloud/link')
  expect(ended.body).toMatchObject({
    success: true,
    revokedThere: false,
    hint: expect.stringContaining('Nothing was linked'),
  })
  await ada.approve(second.userCode)
  expect(await look(here)).toEqual({ state: 'none', cloudUrl: line.url })
  expect(await linksOf(there)).toEqual([])
  expect((await here.owner.api('DELETE', '/api/cloud/link')).status).toBe(404)
})

test('a link that is given up while its credential is on the way is ended there', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const { userCode } = await begin(here)
  await (await signedIn(there.owner)).approve(userCode)
  await rest()
  const { fetchCredential } = home.platform.cloudDoor ?? {}
  if (!fetchCredential || !home.platform.cloudDoor) throw new Error('no cloud')
  home.platform.cloudDoor.fetchCredential = async (secrets) => {
    const fetched = await fetchCredential(secrets)
    expect((await linksOf(there)).length).toBe(1)
    await here.owner.api('DELETE', '/api/cloud/link')
    return fetched
  }
  expect((await state(here)).state).toBe('none')
  home.platform.cloudDoor.fetchCredential = fetchCredential
  expect(await linksOf(there)).toEqual([])
})

test('an approval of somebody who is no admin any more when it is fetched is none', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const kim = await cloud.person(there.id, 'admin')
  const { userCode } = await begin(here)
  await (await signedIn(kim)).approve(userCode)
  await there.owner.api('PATCH', `/api/members/${kim.userId}`, { role: 'developer' })
  expect(await look(here)).toMatchObject({ state: 'none', problem: expect.stringContaining('may not any more') })
  expect(await linksOf(there)).toEqual([])
})

test.each([
  ['the link is revoked there', async ({ there, link }: Linked) => there.owner.api('DELETE', `/api/links/${link.id}`)],
  [
    'its token is revoked there',
    async ({ there, link }: Linked) => there.owner.api('DELETE', `/api/tokens/${link.tokenId}`),
  ],
])('when %s, the instance says so and what to do', async (_, revoke) => {
  const { here, there } = await linked('Revoked')
  const [link] = await linksOf(there)
  expect((await revoke({ there, link })).status).toBe(200)
  expect(await linksOf(there)).toEqual([])
  expect((await there.owner.api('GET', `/api/tokens/${link.tokenId}`)).status).toBe(404)
  forget()
  const shown = await state(here)
  expect([shown.state, shown.organization.name]).toEqual(['linked', 'Revoked'])
  expect(shown.problem).toContain('End the link here and link again')
  expect((await here.owner.api('DELETE', '/api/cloud/link')).body).toEqual({ success: true, revokedThere: true })
  expect((await state(here)).state).toBe('none')
})
type Linked = { there: Awaited<ReturnType<typeof cloud.org>>; link: { id: string; tokenId: string } }

test('a link ends with the member who approved it', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const kim = await cloud.person(there.id, 'admin')
  const { userCode } = await begin(here)
  await (await signedIn(kim)).approve(userCode)
  expect((await look(here)).state).toBe('linked')
  await there.owner.api('DELETE', `/api/members/${kim.userId}`)
  forget()
  expect((await state(here)).problem).toContain('has left')
  expect(await linksOf(there)).toEqual([])
})

test('a link that is ended here is ended there: its credential is refused', async () => {
  const { here, there } = await linked('Ended')
  const { credential } = await secretsOf(here)
  expect((await cloud.as(credential)('GET', '/api/me')).status).toBe(200)
  expect((await here.owner.api('DELETE', '/api/cloud/link')).body).toEqual({ success: true, revokedThere: true })
  expect((await cloud.as(credential)('GET', '/api/me')).status).toBe(401)
  expect(await linksOf(there)).toEqual([])
})

test('only the credential of a link ends a link as its own', async () => {
  const { owner } = await cloud.org()
  expect((await owner.api('DELETE', '/api/links/self')).status).toBe(404)
  const session = await cloud.as('')('DELETE', '/api/links/self', undefined, await cloud.session(owner))
  expect([session.status, session.body.code]).toEqual([403, 'token_required'])
})

test('a cloud that is away: asking says 503, what waits goes on waiting, and a link ends here all the same', async () => {
  const { here, there } = await linked('Away')
  const waiting = await home.org()
  const { userCode } = await begin(waiting)
  await line.being('cut', async () => {
    const refused = await (await home.org()).owner.api('POST', '/api/cloud/link')
    expect([refused.status, refused.body.error]).toEqual([503, 'cloud_unreachable'])
    expect(refused.body.message).toContain('cannot be reached')
    expect(await look(waiting)).toMatchObject({ state: 'pending', userCode, problem: expect.any(String) })
    forget()
    expect((await state(here)).problem).toContain('cannot be reached')
    const { body } = await here.owner.api('DELETE', '/api/cloud/link')
    expect([body.success, body.revokedThere]).toEqual([true, false])
    expect(body.hint).toContain((await linksOf(there))[0].id)
  })
  expect((await linksOf(there)).length).toBe(1)
  expect((await state(here)).state).toBe('none')
})

test('a cloud that does not answer is given up after five seconds', async () => {
  const begun = Date.now()
  const { body } = await line.being('silent', async () => (await home.org()).owner.api('POST', '/api/cloud/link'))
  expect(body.message).toContain('did not answer in time')
  expect(Date.now() - begun).toBeLessThan(8000)
})

test.each([
  ['leads elsewhere', 307, { location: 'http://127.0.0.1:1/' }, ''],
  ['speaks no JSON', 201, {}, '<html>'],
  [
    'sends the browser elsewhere',
    201,
    {},
    JSON.stringify({ requestId: 'a', userCode: 'b', verifyUrl: 'https://evil.example/' }),
  ],
  ['says too much', 201, {}, JSON.stringify({ userCode: 'x'.repeat(1 << 20) })],
  ['has an error of its own', 500, {}, 'slp_secret'],
])('what answers and %s is no cloud to be linked to', async (_, status, headers, text) => {
  const { owner } = await home.org()
  const answer = await line.being(
    (__, response) => void response.writeHead(status, headers).end(text),
    () => owner.api('POST', '/api/cloud/link'),
  )
  expect([answer.status, answer.body.code]).toEqual([503, 'cloud_unreachable'])
  expect(answer.text).not.toContain('slp_secret')
})

test('a cloud that knows no links gives a token for everything: it is ended, and not kept', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const asked = await atCloud.ask()
  await (await signedIn(there.owner)).approve(asked.userCode)
  const { body } = await asked.redeem()
  await begin(here)
  await rest()
  const { cloudDoor } = home.platform
  if (!cloudDoor) throw new Error('no cloud')
  const { fetchCredential } = cloudDoor
  cloudDoor.fetchCredential = async () => ({ kind: 'granted', credential: body.secret, link: null })
  expect(await state(here)).toMatchObject({ state: 'none', problem: expect.stringContaining('gave no link') })
  cloudDoor.fetchCredential = fetchCredential
  expect((await cloud.as(body.secret)('GET', '/api/me')).status).toBe(401)
})

test('credentials go to the cloud that gave them and to no other', async () => {
  const { here } = await linked('Moved')
  const waiting = await home.org()
  await begin(waiting)
  await pool.query(`update cloud_link set url = 'https://other.example.com'`)
  await pool.query(`update link_attempt set url = 'https://other.example.com'`)
  forget()
  const asked = line.asked.length
  expect((await state(here)).problem).toContain('SLIPWAY_CLOUD_URL')
  expect(await look(waiting)).toMatchObject({ state: 'none', problem: expect.stringContaining('SLIPWAY_CLOUD_URL') })
  expect((await here.owner.api('DELETE', '/api/cloud/link')).body.revokedThere).toBe(false)
  expect(line.asked.length).toBe(asked)
})

test('without a cloud, or where its address may not be connected to, there is nothing to link to, in words', async () => {
  const alone = await startWorld()
  const { owner } = await alone.org()
  const none = await owner.api('POST', '/api/cloud/link')
  expect([none.status, none.body.hint]).toEqual([400, expect.stringContaining('SLIPWAY_CLOUD_URL')])
  expect((await owner.api('GET', '/api/cloud/link')).body).toEqual({ state: 'none', cloudUrl: null })
  const guarded = await startWorld({ cloudUrl: line.url })
  const asked = line.asked.length
  const refused = await (await guarded.org()).owner.api('POST', '/api/cloud/link')
  expect([refused.status, refused.body.hint]).toEqual([503, expect.stringContaining('SLIPWAY_ALLOWED_NETWORKS')])
  expect(line.asked.length).toBe(asked)
})
