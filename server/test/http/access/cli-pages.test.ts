import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { codeIn, commandLines, REDIRECT } from './command-lines.ts'
import { formIn } from './form-in.ts'
import { browsers, cookieIn, PASSWORD } from './people.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const { ask } = commandLines(world)
const { owner, fromHere } = browsers(world)
const api = world.as('')
const ada = await owner('ada@example.com', 'Engine')
const HERE = { ...fromHere, 'x-forwarded-for': '203.0.113.7' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Headers = Record<string, string>
const get = (path: string, cookie = '') => api('GET', path, undefined, { ...HERE, ...(cookie && { cookie }) })
const send = (path: string, fields: Headers, cookie = '', headers: Headers = HERE) =>
  api('POST', path, Buffer.from(new URLSearchParams(fields).toString()), {
    ...FORM,
    ...headers,
    ...(cookie && { cookie }),
  })

test('without a session: sign in first, come back to the same code, approve, and the browser brings the code to the loopback', async () => {
  const asked = await ask({ redirect: REDIRECT, from: '203.0.113.7' })
  const path = asked.verifyUrl.slice(world.config.publicUrl.length)
  const first = await get(path)
  expect(first.text).not.toContain('ada@laptop')
  const { action, fields } = formIn(first.text, 'sign-in')
  const wrong = await send(action, { ...fields, email: ada.email, password: 'not the password' })
  expect([wrong.status, wrong.text.includes('Email and password do not match.')]).toEqual([401, true])
  const signedIn = await send(action, { ...fields, email: 'ADA@example.com', password: PASSWORD })
  expect([signedIn.status, signedIn.headers.location]).toEqual([303, path])
  const cookie = cookieIn(signedIn)
  const shown = await get(path, cookie)
  for (const words of [asked.userCode, 'ada@laptop', '203.0.113.7', 'Engine', 'ada@example.com', '90 days'])
    expect(shown.text).toContain(words)
  expect(shown.text).not.toContain('not the address that you are at')
  const yes = formIn(shown.text, 'approve')
  const approved = await send(yes.action, yes.fields, cookie)
  const to = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(approved.text)?.[1] ?? ''
  expect(to).toMatch(/^http:\/\/127\.0\.0\.1:49152\/done\?code=[\w-]{43}$/)
  const { secret } = (await asked.redeem({ code: codeIn(to) })).body
  expect((await world.as(secret)('GET', '/api/me')).body.user.email).toBe('ada@example.com')
})

test('on another machine: the code is typed, shown again to compare with where it came from, and the terminal goes on', async () => {
  const asked = await ask()
  const entry = await get('/device', ada.cookie)
  const look = formIn(entry.text, 'look')
  const shown = await send(look.action, { ...look.fields, code: asked.userCode.toLowerCase() }, ada.cookie)
  for (const words of [asked.userCode, 'ada@laptop', asked.from, 'not the address that you are at'])
    expect(shown.text).toContain(words)
  const yes = formIn(shown.text, 'approve')
  expect((await send(yes.action, yes.fields, ada.cookie)).text).toContain('Done.')
  expect((await asked.redeem()).body.secret).toMatch(/^slp_/)
})

test('the code of the browser flow may be typed on another machine as well', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const shown = await send('/device', { act: 'look', code: asked.userCode }, ada.cookie)
  const yes = formIn(shown.text, 'approve')
  expect((await send(yes.action, yes.fields, ada.cookie)).text).not.toContain('http-equiv')
  expect((await asked.redeem()).status).toBe(200)
})

test('phishing: a link with a code in it brings nobody further than the form to type it', async () => {
  const asked = await ask()
  for (const query of [`?code=${asked.userCode}`, `?user_code=${asked.userCode}`, `?act=look&code=${asked.userCode}`]) {
    const page = await get(`/device${query}`, ada.cookie)
    expect(page.text).not.toContain(asked.userCode)
    expect(page.text).not.toContain('value="approve"')
  }
  // Nor does the other page take it: the token would go to who asked, and not to this machine.
  const page = await get(`/cli?code=${asked.userCode}`, ada.cookie)
  expect([page.status, page.text.includes('value="approve"')]).toEqual([400, false])
})

test('phishing: whoever follows a link of the browser flow gives nothing to who sent it', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const shown = await get(`/cli?code=${asked.userCode}`, ada.cookie)
  const yes = formIn(shown.text, 'approve')
  await send(yes.action, yes.fields, ada.cookie)
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
  expect((await asked.redeem({ code: 'x'.repeat(43) })).body.code).toBe('invalid_grant')
})

test('no: the machine gets nothing', async () => {
  const asked = await ask()
  const shown = await send('/device', { act: 'look', code: asked.userCode }, ada.cookie)
  const no = formIn(shown.text, 'deny')
  expect((await send(no.action, no.fields, ada.cookie)).text).toContain('Refused.')
  expect((await asked.redeem()).body.code).toBe('access_denied')
})

test('what the machine calls itself is text on the page, whatever it says', async () => {
  const asked = await ask({ name: `<img src=x onerror=alert(1)>"'&` })
  const shown = await send('/device', { act: 'look', code: asked.userCode }, ada.cookie)
  expect(shown.text).not.toContain('<img')
  expect(shown.text).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;')
  const typed = await send('/device', { act: 'look', code: '"><script>' }, ada.cookie)
  expect(typed.text).not.toContain('<script')
  expect((await get(`/cli?code=${encodeURIComponent('"><script>')}`)).text).not.toContain('<script')
})

test('clickjacking: no page of these may be framed, run a script, or send its forms elsewhere', async () => {
  const asked = await ask({ redirect: REDIRECT })
  const shown = await get(`/cli?code=${asked.userCode}`, ada.cookie)
  const approved = await send('/cli', { act: 'approve', code: asked.userCode }, ada.cookie)
  const pages = [
    await get('/cli'),
    await get('/device'),
    shown,
    approved,
    await send('/device', { act: 'look', code: 'x' }, ada.cookie),
  ]
  for (const { headers, text } of pages) {
    expect(headers['x-frame-options']).toBe('DENY')
    const policy = String(headers['content-security-policy'])
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
      expect(policy).toContain(rule)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script|\son\w+=|style="/)
    // Without a referrer at all a browser would leave out the Origin that our own check asks for.
    expect(headers['referrer-policy']).toBe('same-origin')
    expect(headers['cache-control']).toBe('no-store')
  }
})

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a client that says nothing', {}],
])('CSRF: %s can neither decide, nor sign in or out by our forms', async (_, headers) => {
  const asked = await ask({ redirect: REDIRECT })
  for (const act of ['approve', 'deny', 'look', 'sign-in', 'sign-out'])
    for (const path of ['/cli', '/device']) {
      const fields = { act, code: asked.userCode, email: ada.email, password: PASSWORD }
      const answer = await send(path, fields, ada.cookie, headers as Headers)
      expect([answer.status, answer.body.code]).toEqual([403, 'cross_site'])
    }
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
  expect((await get('/device', ada.cookie)).text).toContain('ada@example.com')
})

test('without a session nothing is decided, and nobody learns which machine asks', async () => {
  const asked = await ask({ redirect: REDIRECT })
  for (const act of ['approve', 'deny', 'look']) {
    const answer = await send('/cli', { act, code: asked.userCode })
    expect([answer.status, answer.text.includes('ada@laptop')]).toEqual([401, false])
  }
  const token = { authorization: `Bearer ${ada.token}` }
  expect((await send('/cli', { act: 'approve', code: asked.userCode }, '', { ...HERE, ...token })).status).toBe(401)
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
})

test('open redirect: after signing in, the way leads back to our own two pages, whatever the form says', async () => {
  const from = { ...HERE, 'x-forwarded-for': '203.0.113.8' }
  const fields = { act: 'sign-in', email: ada.email, password: PASSWORD, next: 'https://evil.example' }
  for (const code of ['//evil.example', '\r\nlocation: https://evil.example', '&next=//evil.example']) {
    const to = String((await send('/cli', { ...fields, code }, '', from)).headers.location)
    const url = new URL(to, world.config.publicUrl)
    const { origin } = new URL(world.config.publicUrl)
    expect([url.origin, url.pathname, [...url.searchParams.keys()]]).toEqual([origin, '/cli', ['code']])
  }
  expect((await send('/device', { ...fields, code: '//evil.example' }, '', from)).headers.location).toBe('/device')
})

test('an organization that is not one’s own cannot be chosen', async () => {
  const other = await owner('other@example.com', 'Other')
  const asked = await ask({ redirect: REDIRECT })
  const answer = await send('/cli', { act: 'approve', code: asked.userCode, organization: other.orgId }, ada.cookie)
  expect([answer.status, answer.text.includes('No such organization.')]).toEqual([404, true])
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
})

test('a wrong or used code says so, and too many of them have to wait', async () => {
  const kim = await owner('kim@example.com', 'Kim')
  const asked = await ask({ redirect: REDIRECT })
  await send('/cli', { act: 'approve', code: asked.userCode }, kim.cookie)
  const again = await get(`/cli?code=${asked.userCode}`, kim.cookie)
  expect([again.status, again.text.includes('No command line waits with this code')]).toEqual([404, true])
  for (let n = 0; n < 9; n++) await send('/device', { act: 'look', code: `AAAA-AAA${n}` }, kim.cookie)
  expect((await send('/device', { act: 'look', code: 'AAAA-AAAA' }, kim.cookie)).status).toBe(429)
})

test('somebody else may sign in instead', async () => {
  const { cookie } = await owner('lee@example.com', 'Lee')
  const asked = await ask({ redirect: REDIRECT })
  const shown = await get(`/cli?code=${asked.userCode}`, cookie)
  const { action, fields } = formIn(shown.text, 'sign-out')
  const out = await send(action, fields, cookie)
  expect([out.status, out.headers.location]).toEqual([303, `/cli?code=${asked.userCode}`])
  expect((await get(`/cli?code=${asked.userCode}`, cookie)).text).toContain('Sign in first')
})

test('a form that is larger than any of ours is not read', async () => {
  const answer = await send('/device', { act: 'look', code: 'x'.repeat(10_000) }, ada.cookie)
  expect([answer.status, answer.body.code]).toEqual([413, 'too_large'])
})
