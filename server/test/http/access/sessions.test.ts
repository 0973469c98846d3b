import { beforeAll, expect, test } from 'vitest'
import { bootstrap } from '../../../src/core/access/bootstrap.ts'
import { startWorld } from '../../harness.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
let visitors = 0
const api = world.as('')
const ORIGIN = world.config.publicUrl
const fromHere = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }
const PASSWORD = 'correct horse battery'
let ada = { cookie: '', userId: '', orgId: '' }

const codeIn = (link: string) => link.split('#')[1] ?? ''

/** Everyone signs in from an address of their own: attempts are limited by address. */
const visitor = () => ({ 'x-forwarded-for': `203.0.113.${++visitors}` })

async function signIn(email: string, password: string, headers: Record<string, string> = {}) {
  const answer = await api(
    'POST',
    '/api/auth/sign-in/email',
    { email, password },
    { ...fromHere, ...visitor(), ...headers },
  )
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  return { ...answer, cookies, cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
}

beforeAll(async () => {
  const made = await bootstrap(world.platform, {
    email: 'Ada@example.com',
    organization: 'Engine',
    again: false,
    days: 1,
  })
  const joined = await api(
    'POST',
    '/api/auth/accept',
    { code: codeIn(made.link), name: 'Ada', password: PASSWORD },
    fromHere,
  )
  expect(joined.status).toBe(200)
  expect(joined.body.organizationId).toBe(made.orgId)
  const { cookie } = await signIn('ada@example.com', PASSWORD)
  ada = { cookie, userId: joined.body.userId, orgId: made.orgId }
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

test('a setup link works once', async () => {
  const made = await bootstrap(world.platform, {
    email: 'once@example.com',
    organization: 'Once',
    again: true,
    days: 1,
  })
  const body = { code: codeIn(made.link), name: 'Once', password: PASSWORD }
  const tries = await Promise.all([1, 2, 3].map(() => api('POST', '/api/auth/accept', body, fromHere)))
  expect(tries.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
})

test('nobody can sign up by themselves', async () => {
  const body = { email: 'new@example.com', password: PASSWORD, name: 'New' }
  for (const path of ['/api/auth/sign-up/email', '/api/auth/organization/create', '/api/auth/update-user']) {
    expect((await api('POST', path, body, fromHere)).status).toBe(404)
  }
})

test('a session cookie is HttpOnly, SameSite and works for reading', async () => {
  const { cookies, cookie } = await signIn('ada@example.com', PASSWORD)
  expect(cookies.join()).toMatch(/slipway\.session_token=.*HttpOnly; SameSite=Lax/)
  const me = await api('GET', '/api/me', undefined, { cookie })
  expect(me.body).toMatchObject({ role: 'owner', credential: { kind: 'session' } })
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
  ada.cookie = [changed.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
})

test('an access token cannot do what is a person’s own', async () => {
  const { owner } = await world.org('Tokens')
  const answer = await owner.api('POST', '/api/me/password', { currentPassword: 'x', newPassword: PASSWORD })
  expect([answer.status, answer.body.code]).toEqual([403, 'session_required'])
})

test('an invited person joins with the invited role; the link is shown once and not to members', async () => {
  const write = { ...fromHere, cookie: ada.cookie }
  const invited = await api('POST', '/api/members/invitations', { email: 'Bob@Example.com', role: 'viewer' }, write)
  expect(invited.status).toBe(201)
  const code = codeIn(invited.body.link)
  const listed = await api('GET', '/api/members/invitations', undefined, write)
  expect(listed.body.data).toHaveLength(1)
  expect(listed.text).not.toContain(code)
  const joined = await api('POST', '/api/auth/accept', { code, name: 'Bob', password: PASSWORD }, fromHere)
  expect(joined.body).toMatchObject({ role: 'viewer', organizationId: ada.orgId })
  const bob = await signIn('bob@example.com', PASSWORD)
  const me = await api('GET', '/api/me', undefined, { cookie: bob.cookie })
  expect(me.body).toMatchObject({ role: 'viewer', user: { name: 'Bob' } })
})

test('someone who has an account joins with the password they have, and switches organizations', async () => {
  const other = await world.org('Other')
  const invited = await other.owner.api('POST', '/api/members/invitations', {
    email: 'ada@example.com',
    role: 'developer',
  })
  const accept = (password: string) =>
    api('POST', '/api/auth/accept', { code: codeIn(invited.body.link), password }, fromHere)
  expect((await accept('someone elses guess')).body.code).toBe('invalid_password')
  expect((await accept(PASSWORD)).status).toBe(200)
  const { cookie } = await signIn('ada@example.com', PASSWORD)
  const headers = { ...fromHere, cookie }
  expect((await api('GET', '/api/me', undefined, headers)).body.organization.name).toBe('Engine')
  expect((await api('GET', '/api/me/organizations', undefined, headers)).body.data).toHaveLength(2)
  expect((await api('POST', '/api/me/organization', { organizationId: other.id }, headers)).status).toBe(200)
  expect((await api('GET', '/api/me', undefined, headers)).body).toMatchObject({
    role: 'developer',
    organization: { name: 'Other' },
  })
  const foreign = await world.org('Foreign')
  expect((await api('POST', '/api/me/organization', { organizationId: foreign.id }, headers)).status).toBe(404)
})

test('a withdrawn or expired invitation is refused', async () => {
  const { owner } = await world.org('Invites')
  const invite = async (email: string) =>
    (await owner.api('POST', '/api/members/invitations', { email, role: 'viewer' })).body
  const withdrawn = await invite('w@example.com')
  expect((await owner.api('DELETE', `/api/members/invitations/${withdrawn.invitation.id}`)).status).toBe(200)
  const expired = await invite('e@example.com')
  await world.platform.pool.query(`update invitation set expires_at = now() where id = $1`, [expired.invitation.id])
  const replaced = await invite('r@example.com')
  await invite('R@example.com')
  for (const { link } of [withdrawn, expired, replaced]) {
    const answer = await api(
      'POST',
      '/api/auth/accept',
      { code: codeIn(link), name: 'X', password: PASSWORD },
      fromHere,
    )
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_code'])
  }
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

test('whoever invites an account without a password cannot choose its password', async () => {
  const victim = await bootstrap(world.platform, {
    email: 'victim@example.com',
    organization: 'Victim',
    again: true,
    days: 1,
  })
  const attacker = await world.org('Attacker')
  const invited = await attacker.owner.api('POST', '/api/members/invitations', {
    email: 'victim@example.com',
    role: 'viewer',
  })
  const code = codeIn(invited.body.link)
  const taken = await api('POST', '/api/auth/accept', { code, name: 'X', password: PASSWORD }, fromHere)
  expect([taken.status, taken.body.code]).toEqual([400, 'invalid_password'])
  expect((await signIn('victim@example.com', PASSWORD)).status).toBe(401)
  const own = await api(
    'POST',
    '/api/auth/accept',
    { code: codeIn(victim.link), name: 'V', password: PASSWORD },
    fromHere,
  )
  expect(own.status).toBe(200)
})

test('an invitation is no way to guess the password of an account', async () => {
  const { owner } = await world.org('Guessers')
  const invited = await owner.api('POST', '/api/members/invitations', { email: 'ada@example.com', role: 'viewer' })
  const code = codeIn(invited.body.link)
  const guesses = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      api('POST', '/api/auth/accept', { code, password: `guess number ${i}` }, fromHere),
    ),
  )
  expect(guesses.filter((answer) => answer.body.code === 'invalid_password')).toHaveLength(5)
  expect((await api('POST', '/api/auth/accept', { code, password: PASSWORD }, fromHere)).body.code).toBe('invalid_code')
})

test('an operator lets an owner back in: same organization, new token, new password', async () => {
  const again = await bootstrap(world.platform, {
    email: 'victim@example.com',
    organization: 'ignored',
    again: true,
    days: 30,
  })
  const me = await world.as(again.token)('GET', '/api/me')
  expect(me.body.organization.name).toBe('Victim')
  const changed = await api(
    'POST',
    '/api/auth/accept',
    { code: codeIn(again.link), password: 'another password' },
    fromHere,
  )
  expect(changed.status).toBe(200)
  expect((await signIn('victim@example.com', 'another password')).status).toBe(200)
})

test('a member is not invited twice, and accepting twice does not change a role', async () => {
  const org = await world.org('Twice')
  const member = await world.person(org.id, 'developer')
  const email = `${member.userId}@example.com`
  const answer = await org.owner.api('POST', '/api/members/invitations', { email, role: 'admin' })
  expect([answer.status, answer.body.code]).toEqual([409, 'already_member'])
})

test('invitations of one address at the same moment all succeed, and the last link works', async () => {
  const { owner } = await world.org('Moment')
  const invite = () => owner.api('POST', '/api/members/invitations', { email: 'moment@example.com', role: 'viewer' })
  const answers = await Promise.all(Array.from({ length: 6 }, invite))
  expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(201))
  expect((await owner.api('GET', '/api/members/invitations')).body.data).toHaveLength(1)
})

test('the page behind a link shows a form and lets nothing else run', async () => {
  const page = await api('GET', '/join')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.text).toContain('<form>')
})
