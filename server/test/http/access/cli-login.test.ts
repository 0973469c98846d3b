import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { endAccess } from '../../../src/core/access/end-access.ts'
import { newUserCode, readUserCode } from '../../../src/core/access/user-code.ts'
import { sweepSignIns } from '../../../src/core/tokens/cli/store.ts'
import { transaction } from '../../../src/db/database.ts'
import { codeIn, commandLines, REDIRECT } from './command-lines.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const { ask, by, rest, later, audit, visitor } = commandLines(world)
const org = await world.org('Home')
const ada = by(await world.session(org.owner))

test('a person lets a command line in, and it gets an ordinary token of theirs for 90 days', async () => {
  const asked = await ask()
  expect([asked.status, asked.verifyUrl]).toEqual([201, `${world.config.publicUrl}/device`])
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
  const shown = await ada.look(asked.userCode)
  expect(shown.body).toMatchObject({ name: 'ada@laptop', address: asked.from, sameAddress: false, browserHere: false })
  expect(shown.body.organizations).toEqual([{ id: org.id, name: 'Home', role: 'owner' }])
  expect((await ada.approve(asked.userCode)).body).toEqual({ success: true, redirect: null })
  await rest()
  const { body } = await asked.redeem()
  expect(body.token).toMatchObject({ name: 'ada@laptop', scopes: null, projectId: null })
  const days = (Date.parse(body.token.expiresAt) - Date.now()) / (24 * 3600_000)
  expect(Math.round(days)).toBe(90)
  expect((await world.as(body.secret)('GET', '/api/me')).body).toMatchObject({
    role: 'owner',
    organization: { id: org.id },
    credential: { kind: 'token', id: body.token.id },
  })
  expect((await org.owner.api('DELETE', `/api/tokens/${body.token.id}`)).status).toBe(200)
  expect((await world.as(body.secret)('GET', '/api/me')).status).toBe(401)
})

test('that it was asked, approved, and which token it got is in the log, with both addresses', async () => {
  const asked = await ask({ name: 'logged@machine' })
  await ada.approve(asked.userCode)
  const { body } = await asked.redeem()
  const of = async (action: string) =>
    (await audit(org, action)).find((entry: { detail: { name?: string } }) => entry.detail.name === 'logged@machine')
  expect(await of('cli_sign_in.ask')).toMatchObject({ address: asked.from, actor: { kind: 'system' } })
  const approved = await of('cli_sign_in.approve')
  expect(approved).toMatchObject({ actor: { kind: 'user', id: org.owner.userId }, detail: { from: asked.from } })
  expect(await of('token.create')).toMatchObject({
    target: body.token.id,
    address: asked.from,
    actor: { kind: 'user', id: org.owner.userId },
    detail: { signIn: approved.target },
  })
})

test('a user code has 40 bits in letters and digits that are not mistaken for each other', () => {
  const seen = new Set(Array.from({ length: 2000 }, newUserCode))
  expect(seen.size).toBe(2000)
  for (const code of seen) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(readUserCode(' o1il 23-ab ')).toBe('0111-23AB')
  for (const none of ['', 'K7QM-4T2', 'K7QM-4T2XX', 'K7QM-4T2U', 'K7QM-4T2\0', 'ﬀ7QM-4T2X'])
    expect(readUserCode(none)).toBeNull()
})

test('a code may be typed as it comes: small, with spaces, with O for 0', async () => {
  const asked = await ask()
  const typed = ` ${asked.userCode.toLowerCase().replace('-', ' ').replaceAll('0', 'o')} `
  expect((await ada.look(typed)).body.userCode).toBe(asked.userCode)
})

test('a request that was refused stays refused, and is told so', async () => {
  const asked = await ask()
  expect((await ada.deny(asked.userCode)).status).toBe(200)
  expect((await asked.redeem()).body.code).toBe('access_denied')
  expect((await ada.approve(asked.userCode)).status).toBe(404)
  await rest()
  expect((await asked.redeem()).body.code).toBe('access_denied')
  expect((await audit(org, 'cli_sign_in.deny'))[0]).toMatchObject({ detail: { name: 'ada@laptop', from: asked.from } })
})

test('a request is over after 10 minutes: nobody approves it, nobody fetches it, and it is swept', async () => {
  const asked = await ask()
  const approved = await ask()
  await ada.approve(approved.userCode)
  expect(Date.parse(asked.expiresAt) - Date.now()).toBeLessThanOrEqual(10 * 60_000)
  await later(11)
  expect((await ada.look(asked.userCode)).status).toBe(404)
  expect((await ada.approve(asked.userCode)).status).toBe(404)
  for (const one of [asked, approved]) expect((await one.redeem()).body.code).toBe('expired_token')
  await sweepSignIns(world.platform.db)
  const { rows } = await world.platform.pool.query('select count(*)::integer as n from cli_sign_in')
  expect(rows).toEqual([{ n: 0 }])
  expect((await asked.redeem()).body.code).toBe('expired_token')
})

test('asking for the token too soon is told to slow down, each time by more', async () => {
  const asked = await ask()
  const codes = []
  for (let n = 0; n < 3; n++) codes.push((await asked.redeem()).body.code)
  expect(codes).toEqual(['authorization_pending', 'slow_down', 'slow_down'])
  expect((await asked.redeem()).headers['retry-after']).toBe('20')
})

test('with a redirect the token needs the one-time code that only the browser was given', async () => {
  const asked = await ask({ redirect: REDIRECT })
  expect(asked.verifyUrl).toBe(`${world.config.publicUrl}/cli?code=${asked.userCode}`)
  const { body } = await ada.approve(asked.userCode)
  expect(body.redirect).toMatch(/^http:\/\/127\.0\.0\.1:49152\/done\?code=[\w-]{43}$/)
  expect((await asked.redeem()).body.code).toBe('authorization_pending')
  expect((await asked.redeem({ code: 'x'.repeat(43) })).body.code).toBe('invalid_grant')
  expect((await asked.redeem({ code: codeIn(body.redirect) })).body.secret).toMatch(/^slp_/)
})

test('where the browser is on another machine, the command line fetches its token without a code', async () => {
  const asked = await ask({ redirect: REDIRECT })
  expect((await ada.approve(asked.userCode, { elsewhere: true })).body.redirect).toBeNull()
  expect((await asked.redeem()).status).toBe(200)
})

test('a person chooses among their own organizations, and no other', async () => {
  const second = await world.org('Second')
  const theirs = await world.org('Theirs')
  await world.platform.db
    .insertInto('member')
    .values({ orgId: second.id, userId: org.owner.userId, role: 'viewer' })
    .execute()
  const asked = await ask()
  const shown = (await ada.look(asked.userCode)).body.organizations.map(({ id }: { id: string }) => id)
  expect(new Set(shown)).toEqual(new Set([org.id, second.id]))
  const foreign = await ada.approve(asked.userCode, { organizationId: theirs.id })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
  expect((await ada.approve(asked.userCode, { organizationId: second.id })).status).toBe(200)
  const { secret } = (await asked.redeem()).body
  // No more than the person has there.
  expect((await world.as(secret)('GET', '/api/me')).body).toMatchObject({
    role: 'viewer',
    organization: { id: second.id },
  })
  expect((await audit(second, 'cli_sign_in.approve')).length).toBe(1)
  await world.platform.db
    .deleteFrom('member')
    .where('orgId', '=', second.id)
    .where('userId', '=', org.owner.userId)
    .execute()
})

test('it may get fewer scopes or one project, and never more than its person', async () => {
  const kim = await visitor(org)
  const project = (await org.owner.api('POST', '/api/projects', { name: 'narrow' })).body.id
  const asked = await ask()
  const more = await kim.approve(asked.userCode, { scopes: ['member:admin'] })
  expect([more.status, more.body.code]).toEqual([400, 'scope_exceeds_caller'])
  const theirs = await world.org('Not here')
  const foreign = (await theirs.owner.api('POST', '/api/projects', { name: 'foreign' })).body.id
  expect((await kim.approve(asked.userCode, { projectId: foreign })).status).toBe(404)
  expect((await kim.approve(asked.userCode, { scopes: ['project:read'], projectId: project })).status).toBe(200)
  const { token, secret } = (await asked.redeem()).body
  expect(token).toMatchObject({ scopes: ['project:read'], projectId: project })
  expect((await world.as(secret)('GET', '/api/me')).body.permissions).toEqual(['project:read'])
})

test('a member who is removed gets no token any more, and one that they got ends', async () => {
  const kim = await visitor(org)
  const [fetched, open] = [await ask(), await ask()]
  for (const one of [fetched, open]) await kim.approve(one.userCode)
  const { secret } = (await fetched.redeem()).body
  expect((await world.as(secret)('GET', '/api/me')).status).toBe(200)
  expect((await org.owner.api('DELETE', `/api/members/${kim.userId}`)).status).toBe(200)
  expect((await world.as(secret)('GET', '/api/me')).status).toBe(401)
  expect((await open.redeem()).body.code).toBe('expired_token')
})

test('a project that is gone takes along what was narrowed to it', async () => {
  const project = (await org.owner.api('POST', '/api/projects', { name: 'short-lived' })).body.id
  const asked = await ask()
  await ada.approve(asked.userCode, { projectId: project })
  await world.platform.db.deleteFrom('project').where('id', '=', project).execute()
  expect((await asked.redeem()).body.code).toBe('expired_token')
})

test('the operator’s reset ends what was approved and not fetched yet', async () => {
  const kim = await visitor(org)
  const asked = await ask()
  await kim.approve(asked.userCode)
  const from = { address: '192.0.2.1', requestId: 'reset' }
  await transaction(world.platform.db, (tx) => endAccess(tx, { userId: kim.userId, orgId: org.id }, null, from))
  expect((await asked.redeem()).body.code).toBe('expired_token')
})
