import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { bootstrap } from '../../../src/core/operator/bootstrap.ts'
import { resetLink } from '../../../src/core/operator/reset-password.ts'
import { browsers, cookieIn, PASSWORD } from './people.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const { post, signIn, accept, me, owner, invite } = browsers(world)
const again = (email: string) => bootstrap(world.platform, { email, organization: 'ignored', again: true, days: 30 })
const statusOf = async (token: string) => (await world.as(token)('GET', '/api/me')).status

test("a reset by the operator's link ends every session and every token of the person, but the one made with it", async () => {
  const ada = await owner('ada@example.com', 'Engine')
  const thief = await signIn('ada@example.com', PASSWORD)
  const made = await post('/api/tokens', { name: 'a way back' }, { cookie: thief.cookie })
  const reset = await again('ada@example.com')
  expect((await me(thief.cookie)).status).toBe(200)
  expect((await accept(reset.link, 'another password')).status).toBe(200)
  for (const cookie of [thief.cookie, ada.cookie]) expect((await me(cookie)).status).toBe(401)
  for (const token of [made.body.secret, ada.token]) expect(await statusOf(token)).toBe(401)
  expect((await world.as(reset.token)('GET', '/api/me')).body.organization.name).toBe('Engine')
  expect((await signIn('ada@example.com', PASSWORD)).status).toBe(401)
  expect((await signIn('ada@example.com', 'another password')).status).toBe(200)
  const { data } = (await world.as(reset.token)('GET', '/api/audit?action=password.reset')).body
  expect(data[0].detail).toMatchObject({ sessions: 2, tokens: 2 })
})

test('tokens of the person end in all organizations by a reset, and others keep theirs', async () => {
  const eva = await owner('eva@example.com')
  const other = await world.org('Other')
  const userId = (await me(eva.cookie)).body.user.id
  await world.platform.db.insertInto('member').values({ orgId: other.id, userId, role: 'developer' }).execute()
  const there = await world.tokenFor({ orgId: other.id, userId })
  const { link } = await resetLink(world.platform, { email: 'eva@example.com' })
  expect((await accept(link, 'another password')).status).toBe(200)
  for (const token of [eva.token, there]) expect(await statusOf(token)).toBe(401)
  expect(await statusOf(other.owner.token)).toBe(200)
  const seen = (await other.owner.api('GET', '/api/audit?action=password.reset')).body.data
  expect(seen[0]).toMatchObject({ target: userId, detail: { tokens: 1 } })
})

test('the first password ends nothing: a token that was made before it goes on working', async () => {
  const first = await bootstrap(world.platform, {
    email: 'first@example.com',
    organization: 'First',
    again: true,
    days: 1,
  })
  const made = await world.as(first.token)('POST', '/api/tokens', { name: 'ci' })
  expect((await accept(first.link)).status).toBe(200)
  for (const token of [first.token, made.body.secret]) expect(await statusOf(token)).toBe(200)
})

test('a link that resets a password does not bring back a member who was removed meanwhile', async () => {
  const org = await world.org('Left')
  await accept(await invite(org, 'gone@example.com'))
  const { link } = await resetLink(world.platform, { email: 'gone@example.com' })
  const [gone] = (await org.owner.api('GET', '/api/members')).body.data
  expect((await org.owner.api('DELETE', `/api/members/${gone.userId}`)).status).toBe(200)
  expect((await accept(link, 'another password')).status).toBe(200)
  expect((await org.owner.api('GET', `/api/members/${gone.userId}`)).status).toBe(404)
})

test('nobody makes a reset link for an address without an account', async () => {
  await expect(resetLink(world.platform, { email: 'nobody@example.com' })).rejects.toMatchObject({ code: 'not_found' })
})

test('whoever made an account for an address does not own the organization that the operator makes for it', async () => {
  const org = await world.org('Early')
  await accept(await invite(org, 'future@example.com'))
  const early = await signIn('future@example.com', PASSWORD)
  expect((await me(early.cookie)).status).toBe(200)
  const made = await bootstrap(world.platform, {
    email: 'future@example.com',
    organization: 'Future',
    again: true,
    days: 1,
  })
  expect((await me(early.cookie)).status).toBe(401)
  expect((await signIn('future@example.com', PASSWORD)).status).toBe(401)
  expect((await accept(made.link, 'another password')).status).toBe(200)
  expect((await signIn('future@example.com', 'another password')).status).toBe(200)
})

test('signing in with the old password while it is reset gives no session that lasts', async () => {
  await owner('quick@example.com')
  const { link } = await again('quick@example.com')
  const { people } = world.platform
  const handle = people.handle
  // A session that is made after the reset, for a check that began before it.
  people.handle = async (request) => {
    people.handle = handle
    await accept(link, 'another password')
    const body = { email: 'quick@example.com', password: 'another password' }
    return handle(new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(body) }))
  }
  const late = await signIn('quick@example.com', PASSWORD)
  expect(late.status).toBe(401)
  const { rows } = await world.platform.pool.query(
    'select s.id from session s join person p on p.id = s.user_id where p.email = $1',
    ['quick@example.com'],
  )
  expect(rows).toEqual([])
})

test('changing the password ends the other sessions, and the one that asked stays in its organization', async () => {
  const kim = await owner('kim@example.com')
  const other = await world.org('Second')
  const userId = (await me(kim.cookie)).body.user.id
  await world.platform.db.insertInto('member').values({ orgId: other.id, userId, role: 'viewer' }).execute()
  await post('/api/me/organization', { organizationId: other.id }, { cookie: kim.cookie })
  const elsewhere = await signIn('kim@example.com', PASSWORD)
  const body = { currentPassword: PASSWORD, newPassword: 'another password' }
  const changed = await post('/api/me/password', body, { cookie: kim.cookie })
  expect((await me(elsewhere.cookie)).status).toBe(401)
  expect((await me(cookieIn(changed))).body.organization.name).toBe('Second')
})
