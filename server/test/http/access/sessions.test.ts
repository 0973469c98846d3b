import { beforeAll, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { bootstrap } from '../../../src/core/operator/bootstrap.ts'
import { browsers, cookieIn, PASSWORD } from './people.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const api = world.as('')
const ORIGIN = world.config.publicUrl
const { fromHere, signIn, owner, me } = browsers(world)
let ada = { cookie: '', userId: '', orgId: '' }

beforeAll(async () => {
  const { orgId, cookie } = await owner('Ada@example.com', 'Engine')
  ada = { cookie, orgId, userId: (await me(cookie)).body.user.id }
})

test('the bootstrap token belongs to the owner and expires within a day', async () => {
  const made = await bootstrap(world.platform, {
    email: 'eve@example.com',
    organization: 'Second',
    again: true,
    days: 1,
  })
  const me = await world.as(made.token)('GET', '/api/me')
  expect([me.status, me.body.role]).toEqual([200, 'owner'])
  expect(Date.parse(me.body.credential.expiresAt) - Date.now()).toBeLessThanOrEqual(24 * 3600_000)
})

test('bootstrap refuses an instance that has an owner, so that nobody becomes one by being early or late', async () => {
  const again = bootstrap(world.platform, { email: 'mallory@example.com', organization: 'X', again: false, days: 1 })
  await expect(again).rejects.toMatchObject({ message: 'This instance has an owner already.' })
})

test('nobody can sign up by themselves', async () => {
  const body = { email: 'new@example.com', password: PASSWORD, name: 'New' }
  for (const path of ['/api/auth/sign-up/email', '/api/auth/organization/create', '/api/auth/update-user']) {
    expect((await api('POST', path, body, fromHere)).status).toBe(404)
  }
})

test('a session cookie is HttpOnly, SameSite and works for reading', async () => {
  const { headers, cookie } = await signIn('ada@example.com', PASSWORD)
  expect([headers['set-cookie']].flat().join()).toMatch(/slipway\.session_token=.*HttpOnly; SameSite=Lax/)
  expect((await me(cookie)).body).toMatchObject({ role: 'owner', credential: { kind: 'session' } })
})

test('over https the cookie is bound to this host, and one that a neighbour could plant is none', async () => {
  const secure = await startWorld({ publicUrl: 'https://console.example.com', trustProxy: '127.0.0.1' })
  const there = browsers(secure)
  const { cookie } = await there.owner('host@example.com')
  expect(cookie).toMatch(/^__Host-slipway\.session_token=/)
  const again = await there.signIn('host@example.com', PASSWORD)
  const [set = ''] = [again.headers['set-cookie'] ?? []].flat()
  expect(set).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax/)
  expect(set).not.toMatch(/Domain=/i)
  expect((await there.me(cookie)).status).toBe(200)
  for (const planted of ['slipway.session_token', '__Secure-slipway.session_token'])
    expect((await there.me(cookie.replace('__Host-slipway.session_token', planted))).status).toBe(401)
})

test('a wrong password and an unknown email are refused alike', async () => {
  const wrong = await signIn('ada@example.com', 'not the password')
  const unknown = await signIn('nobody@example.com', 'not the password')
  for (const answer of [wrong, unknown]) expect([answer.status, answer.body.code]).toEqual([401, 'sign_in_failed'])
  expect(wrong.body.error).toBe(unknown.body.error)
})

test('a session cookie writes from our own pages', async () => {
  const made = await api('POST', '/api/projects', { name: 'from a page' }, { ...fromHere, cookie: ada.cookie })
  expect(made.status).toBe(201)
})

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another site that hides its origin', { 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed page', { origin: 'null' }],
  ['a sibling host', { origin: ORIGIN.replace('://', '://evil.'), 'sec-fetch-site': 'same-site' }],
  ['our origin, but the browser says otherwise', { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }],
  ['a host whose name begins like ours', { origin: `${ORIGIN}.evil.example` }],
  ['a client that says nothing', {}],
])('a session cookie cannot be used for a write by %s', async (_, headers) => {
  for (const [method, path] of [
    ['POST', '/api/projects'],
    ['DELETE', `/api/members/${ada.userId}`],
    ['POST', '/api/tokens'],
  ] as const) {
    const body = method === 'POST' ? { name: 'x' } : undefined
    const answer = await api(method, path, body, { cookie: ada.cookie, ...headers })
    expect([answer.status, answer.body.code]).toEqual([403, 'cross_site'])
  }
})

test('signing in from another site is refused', async () => {
  const answer = await signIn('ada@example.com', PASSWORD, {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  })
  expect(answer.status).toBe(403)
  expect(answer.cookie).toBe('')
})

test('a forged or signed-out cookie is refused', async () => {
  const { cookie } = await signIn('ada@example.com', PASSWORD)
  const as = (value: string) => api('GET', '/api/me', undefined, { cookie: value })
  expect((await as(cookie)).status).toBe(200)
  expect((await as(cookie.replace(/=..../, '=AAAA'))).status).toBe(401)
  await api('POST', '/api/auth/sign-out', {}, { ...fromHere, cookie })
  expect((await as(cookie)).status).toBe(401)
})

test('changing the password ends the other sessions and needs the current one', async () => {
  const first = await signIn('ada@example.com', PASSWORD)
  const second = await signIn('ada@example.com', PASSWORD)
  const change = (currentPassword: string) =>
    api('POST', '/api/me/password', { currentPassword, newPassword: PASSWORD }, { ...fromHere, cookie: second.cookie })
  expect((await change('wrong')).body.code).toBe('invalid_password')
  const changed = await change(PASSWORD)
  expect(changed.status).toBe(200)
  expect((await api('GET', '/api/me', undefined, { cookie: first.cookie })).status).toBe(401)
  ada.cookie = cookieIn(changed)
})

test('a person sees where they are signed in and ends any of it; nobody else does', async () => {
  const here = await signIn('ada@example.com', PASSWORD, { 'user-agent': 'a browser' })
  const there = await signIn('ada@example.com', PASSWORD)
  const bob = await owner('bob@example.com')
  const as = (cookie: string, method: string, path = '') =>
    api(method, `/api/me/sessions${path}`, undefined, { ...fromHere, cookie })
  const { data } = (await as(here.cookie, 'GET')).body
  const current = data.filter((session: { current: boolean }) => session.current)
  expect(current).toMatchObject([{ userAgent: 'a browser', address: expect.stringMatching(/^203\.0\./) }])
  const { id } = data[0]
  expect((await as(bob.cookie, 'DELETE', `/${id}`)).status).toBe(404)
  expect((await as(here.cookie, 'DELETE', `/${id}`)).status).toBe(200)
  expect((await me(there.cookie)).status).toBe(401)
  const third = await signIn('ada@example.com', PASSWORD)
  expect((await as(here.cookie, 'DELETE')).body.ended).toBeGreaterThan(0)
  expect([(await me(third.cookie)).status, (await me(here.cookie)).status]).toEqual([401, 200])
  expect((await me(bob.cookie)).status).toBe(200)
  ada.cookie = here.cookie
})

test('an access token cannot do what is a person’s own', async () => {
  const { owner } = await world.org('Tokens')
  const answer = await owner.api('POST', '/api/me/password', { currentPassword: 'x', newPassword: PASSWORD })
  expect([answer.status, answer.body.code]).toEqual([403, 'session_required'])
  const looked = [await owner.api('GET', '/api/me/sessions'), await owner.api('DELETE', '/api/me/sessions')]
  for (const { body } of looked) expect(body.code).toBe('session_required')
})

test('the last owner can neither leave nor step down, also not two at once', async () => {
  const org = await world.org('Owners')
  const only = await org.owner.api('DELETE', `/api/members/${org.owner.userId}`)
  expect([only.status, only.body.code]).toEqual([400, 'last_owner'])
  const second = await world.person(org.id, 'owner')
  const both = await Promise.all([
    org.owner.api('PATCH', `/api/members/${org.owner.userId}`, { role: 'viewer' }),
    second.api('PATCH', `/api/members/${second.userId}`, { role: 'viewer' }),
  ])
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('guessing passwords is limited across processes', async () => {
  const address = { 'x-forwarded-for': '198.51.100.7' }
  const answers = []
  for (let i = 0; i < 12; i++) answers.push((await signIn('ada@example.com', `guess number ${i}`, address)).status)
  expect(answers).toContain(429)
  const limited = await signIn('ada@example.com', PASSWORD, address)
  expect(limited.status).toBe(429)
  const wait = Number(limited.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
})
