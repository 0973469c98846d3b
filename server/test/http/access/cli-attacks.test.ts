import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { newUserCode } from '../../../src/core/access/user-code.ts'
import { codeIn, commandLines, REDIRECT } from './command-lines.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const { ask, send, by, rest, audit, visitor } = commandLines(world)
const org = await world.org('Home')
const session = await world.session(org.owner)
const ada = by(session)

test('nothing that opens anything is stored as it is', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const { body } = await ada.approve(asked.userCode)
  const { rows } = await world.platform.pool.query('select *, encode(user_code_hash, $1) as hex from cli_sign_in', [
    'escape',
  ])
  const stored = JSON.stringify(rows)
  for (const secret of [
    asked.requestId,
    asked.verifier,
    asked.userCode,
    asked.userCode.replace('-', ''),
    codeIn(body.redirect),
  ])
    expect(stored).not.toContain(secret)
})

test('an access token cannot look, approve or refuse, whatever it may do', async () => {
  const asked = await ask()
  const { api } = org.owner
  const path = `/api/auth/cli/${asked.userCode}`
  for (const answer of [
    await api('GET', path),
    await api('POST', `${path}/approve`, {}),
    await api('POST', `${path}/deny`),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'session_required'])
  await rest()
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
})

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a client that says nothing', {}],
])('CSRF: %s cannot approve with the cookie', async (_, headers) => {
  const asked = await ask()
  const foreign = by({ cookie: session.cookie, ...(headers as Record<string, string>) })
  for (const answer of [await foreign.approve(asked.userCode), await foreign.deny(asked.userCode)])
    expect([answer.status, answer.body.code]).toEqual([403, 'cross_site'])
  await rest()
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
})

test('a form cannot stand in for the JSON that the API takes', async () => {
  const asked = await ask()
  const form = { ...session, 'content-type': 'application/x-www-form-urlencoded' }
  for (const verb of ['approve', 'deny']) {
    const answer = await world.as('')('POST', `/api/auth/cli/${asked.userCode}/${verb}`, Buffer.from('a=b'), form)
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
  }
})

test('PKCE: the request alone, with another verifier, gets nothing, and after five tries the request is over', async () => {
  const asked = await ask()
  await ada.approve(asked.userCode)
  for (let n = 0; n < 5; n++) expect((await asked.redeem({ verifier: 'x'.repeat(43) })).body.code).toBe('invalid_grant')
  expect((await asked.redeem()).body.code).toBe('access_denied')
})

test('a one-time code fits its own request and verifier alone', async () => {
  const [mine, other] = [await ask({ redirect: REDIRECT }), await ask({ redirect: REDIRECT })]
  const { body } = await ada.approve(mine.userCode)
  await ada.approve(other.userCode)
  const code = codeIn(body.redirect)
  expect((await other.redeem({ code })).body.code).toBe('invalid_grant')
  expect((await mine.redeem({ code, verifier: other.verifier })).body.code).toBe('invalid_grant')
  expect((await mine.redeem({ code })).status).toBe(200)
})

test('a one-time code is good for a minute', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const { body } = await ada.approve(asked.userCode)
  await world.platform.pool.query(`update cli_sign_in set code_expires_at = code_expires_at - interval '61 seconds'`)
  expect((await asked.redeem({ code: codeIn(body.redirect) })).body.code).toBe('expired_token')
  await rest()
  expect((await asked.redeem()).body.code).toBe('expired_token')
})

test('replay: a token is given once, and a second call with the same secrets ends it', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const code = codeIn((await ada.approve(asked.userCode)).body.redirect)
  const { secret } = (await asked.redeem({ code })).body
  expect((await world.as(secret)('GET', '/api/me')).status).toBe(200)
  // Whoever lacks the verifier ends nothing.
  expect((await asked.redeem({ code, verifier: 'x'.repeat(43) })).body.code).toBe('invalid_grant')
  expect((await world.as(secret)('GET', '/api/me')).status).toBe(200)
  expect((await asked.redeem({ code })).body.code).toBe('invalid_grant')
  expect((await world.as(secret)('GET', '/api/me')).status).toBe(401)
  expect((await audit(org, 'token.revoke'))[0].detail.why).toBe('its sign-in was used twice')
})

test('a race for the token has one winner at most', async () => {
  const asked = await ask()
  await ada.approve(asked.userCode)
  const answers = await Promise.all(Array.from({ length: 8 }, () => asked.redeem()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'invalid_grant']))
})

test('a race to decide has one winner', async () => {
  const asked = await ask()
  const answers = await Promise.all([
    ada.approve(asked.userCode),
    ada.deny(asked.userCode),
    ada.approve(asked.userCode),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
})

test.each([
  'https://evil.example/',
  'http://evil.example:80/',
  'http://127.0.0.1.evil.example:80/',
  'http://127.0.0.1:80@evil.example/',
  'http://127.0.0.1:80#@evil.example',
  'http://localhost:4000/',
  'http://127.0.0.1/',
  'http://127.0.0.1:99999/',
  'http://127.1:4000/',
  'http://[::]:4000/',
  'http://0.0.0.0:4000/',
  'https://127.0.0.1:4000/',
  'http://127.0.0.1:4000\\@evil.example/',
  'http://127.0.0.1:4000/?next=https://evil.example',
  'http://127.0.0.1:4000/\r\nlocation: https://evil.example',
  'http://127.0.0.1:4000/" onclick="',
  'javascript:alert(1)',
  '//127.0.0.1:4000/',
])('a redirect leads to the machine that asks and nowhere else: %s', async (redirect) => {
  const answer = await send({ challenge: 'x'.repeat(43), name: 'a', redirect })
  expect([answer.status, answer.body.field]).toEqual([400, 'redirect'])
})

test('whatever redirect is taken, a browser goes to the loopback address with it', async () => {
  const host = fc.constantFrom('127.0.0.1', '[::1]', 'evil.example', '127.0.0.1@evil.example')
  const text = fc.string({ unit: fc.constantFrom(...'/\\@:?#%.-_~ \t\n"<>aZ9[]'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(host, fc.integer({ min: 0, max: 70_000 }), text, async (name, port, rest) => {
      const redirect = `http://${name}:${port}${rest}`
      const { status } = await send({ challenge: 'x'.repeat(43), name: 'a', redirect })
      if (status === 400) return
      const url = new URL(`${redirect}?code=x`)
      expect([status, ['127.0.0.1', '[::1]'].includes(url.hostname), url.username, url.hash]).toEqual([
        201,
        true,
        '',
        '',
      ])
    }),
    { numRuns: 200 },
  )
})

test.each(['', ' ', 'two\nlines', 'esc\x1b[2J', 'right\u202eleft', 'x'.repeat(81), 'nul\0'])(
  'a machine cannot be called %j',
  async (name) => {
    const answer = await send({ challenge: 'x'.repeat(43), name })
    expect([answer.status, answer.body.field]).toEqual([400, 'name'])
  },
)

test('guessing: after ten codes that nobody was given a person waits, also for a right one, and from any address', async () => {
  const eve = await visitor(org)
  const asked = await ask()
  const tries = []
  for (let n = 0; n < 11; n++) tries.push((await eve.look(newUserCode(), { 'x-forwarded-for': `192.0.2.${n}` })).status)
  expect(tries).toEqual([...Array(10).fill(404), 429])
  const waits = await eve.approve(asked.userCode, {}, { 'x-forwarded-for': '192.0.2.99' })
  expect([waits.status, Number(waits.headers['retry-after']) > 500]).toEqual([429, true])
  await world.platform.denials.flush()
  expect((await audit(org, 'cli_sign_in.refused'))[0]).toMatchObject({ actor: { id: eve.userId } })
  // After ten minutes they may try again.
  await world.platform.pool.query(`update sign_in_try set since = since - interval '11 minutes'`)
  expect((await eve.look(asked.userCode)).status).toBe(200)
})

test('guessing: many people from one address are counted together, and many at once are not more', async () => {
  const from = { 'x-forwarded-for': '192.0.2.200' }
  const people = [await visitor(org), await visitor(org), await visitor(org), await visitor(org)]
  const answers: { status: number }[] = []
  for (let round = 0; round < 3; round++) {
    const tries = people.flatMap((person) => Array.from({ length: 3 }, () => person.look(newUserCode(), from)))
    answers.push(...(await Promise.all(tries)))
  }
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(30)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(6)
})

test('right codes are not counted as tries', async () => {
  const busy = await visitor(org)
  const asked = await ask()
  for (let n = 0; n < 15; n++) expect((await busy.look(asked.userCode)).status).toBe(200)
})

test('from one address only so many command lines ask in ten minutes, whichever process they reach', async () => {
  const from = '192.0.2.220'
  await world.platform.pool.query(`insert into sign_in_try (key, count) values ('asked from 192.0.2.220', 59)`)
  const answers = [await ask({ from }), await ask({ from })]
  expect(answers.map(({ status }) => status)).toEqual([201, 429])
})
