import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { bootstrap } from '../../../src/core/operator/bootstrap.ts'
import { browsers, codeIn, cookieIn, PASSWORD } from './people.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const api = world.as('')
const { post, signIn, accept, join, me, owner, invite } = browsers(world)

const newPassword = async (cookie: string, next: string, current = PASSWORD) => {
  const changed = await post('/api/me/password', { currentPassword: current, newPassword: next }, { cookie })
  expect(changed.status).toBe(200)
  return String([changed.headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
}

test('a setup link works once', async () => {
  const input = { email: 'once@example.com', organization: 'Once', again: true, days: 1 }
  const { link } = await bootstrap(world.platform, input)
  const tries = await Promise.all([1, 2, 3].map(() => accept(link)))
  expect(tries.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
})

test('an invited person joins with the invited role; the link is shown once and not to members', async () => {
  const org = await world.org('Home')
  const invited = await org.owner.api('POST', '/api/members/invitations', { email: 'Bob@Example.com', role: 'viewer' })
  expect(invited.status).toBe(201)
  const listed = await org.owner.api('GET', '/api/members/invitations')
  expect(listed.body.data).toHaveLength(1)
  expect(listed.text).not.toContain(codeIn(invited.body.link))
  expect((await accept(invited.body.link, PASSWORD, 'Bob')).status).toBe(200)
  const bob = await signIn('bob@example.com', PASSWORD)
  expect((await me(bob.cookie)).body).toMatchObject({
    role: 'viewer',
    user: { name: 'Bob' },
    organization: { id: org.id },
  })
  expect((await org.owner.api('GET', '/api/members/invitations')).body.data).toEqual([])
})

test('without a session an invitation neither checks nor sets the password of an account', async () => {
  await owner('ann@example.com')
  const org = await world.org('Guessers')
  const link = await invite(org, 'ann@example.com')
  const guesses = [PASSWORD, 'someone elses guess']
  for (const guess of guesses) await accept(link, guess)
  for (const guess of guesses) await accept(await invite(org, 'ann@example.com'), guess)
  const members = (await org.owner.api('GET', '/api/members')).body.data
  expect(members.map((member: { email: string }) => member.email)).not.toContain('ann@example.com')
  expect((await signIn('ann@example.com', PASSWORD)).status).toBe(200)
  expect((await signIn('ann@example.com', 'someone elses guess')).status).toBe(401)
})

test('whoever holds a code is answered alike for an address with an account, one without a password and a new one', async () => {
  await owner('known@example.com')
  await bootstrap(world.platform, { email: 'passwordless@example.com', organization: 'X', again: true, days: 1 })
  const org = await world.org('Curious')
  const answers = []
  for (const email of ['known@example.com', 'passwordless@example.com', 'unheard-of@example.com']) {
    const link = await invite(org, email)
    const id = { 'x-request-id': 'alike' }
    const tries = []
    for (const password of [PASSWORD, PASSWORD, 'another guess']) {
      const { status, text } = await post('/api/auth/accept', { code: codeIn(link), password }, id)
      tries.push([status, text])
    }
    answers.push(tries)
  }
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

const acceptAs = async (link: string, email: string, password = PASSWORD) => {
  const answer = await post('/api/auth/accept', { code: codeIn(link), email, password, name: 'N' })
  return { ...answer, cookie: cookieIn(answer) }
}

test('whoever says the address of the link is signed in by joining, in the organization that asked for them', async () => {
  const org = await world.org('Welcoming')
  const accepted = await acceptAs(await invite(org, 'Newly@Example.com'), 'newly@example.com')
  expect([accepted.status, accepted.body]).toEqual([200, { success: true, signedIn: true, hadAccount: false }])
  expect((await me(accepted.cookie)).body).toMatchObject({ role: 'developer', organization: { id: org.id } })
  const { link } = await bootstrap(world.platform, {
    email: 'op@example.com',
    organization: 'Op',
    again: true,
    days: 1,
  })
  expect((await me((await acceptAs(link, 'op@example.com')).cookie)).body).toMatchObject({ role: 'owner' })
})

test('a mistyped address makes no account and leaves the link good', async () => {
  const org = await world.org('Slips')
  const link = await invite(org, 'right@example.com')
  for (let i = 0; i < 7; i++) {
    const slip = await acceptAs(link, 'rigth@example.com')
    expect([slip.status, slip.body.code, slip.body.field]).toEqual([400, 'invalid_code', 'email'])
    expect([slip.cookie, slip.text.includes('right@')]).toEqual(['', false])
  }
  expect((await signIn('rigth@example.com', PASSWORD)).status).toBe(401)
  expect((await acceptAs(link, 'right@example.com')).body.signedIn).toBe(true)
})

test('where the address has an account joining signs nobody in, whatever the password', async () => {
  await owner('held@example.com')
  const org = await world.org('Holding')
  for (const password of [PASSWORD, 'a guess of somebody']) {
    const tried = await acceptAs(await invite(org, 'held@example.com'), 'held@example.com', password)
    expect([tried.body, tried.cookie]).toEqual([{ success: true, signedIn: false, hadAccount: true }, ''])
  }
})

test('a link that many use at once makes few hashes and lets one in', async () => {
  const org = await world.org('Crowd')
  const link = await invite(org, 'crowd@example.com')
  const { people } = world.platform
  const hash = people.hashPassword
  let hashes = 0
  world.platform.people.hashPassword = (password) => {
    hashes++
    return hash(password)
  }
  const tries = await Promise.all(Array.from({ length: 40 }, (_, i) => accept(link, `a password no. ${i}`)))
  world.platform.people.hashPassword = hash
  expect(tries.filter((answer) => answer.status === 200)).toHaveLength(1)
  expect(hashes).toBeLessThanOrEqual(5)
})

test('someone who has an account signs in, joins with the session, and switches organizations', async () => {
  const ada = await owner('ada@example.com', 'Engine')
  const other = await world.org('Other')
  const link = await invite(other, 'ada@example.com')
  const cookie = await newPassword(ada.cookie, 'a password of her own')
  const joined = await join(cookie, link)
  expect([joined.status, joined.body]).toMatchObject([200, { organizationId: other.id, role: 'developer' }])
  expect((await me(cookie)).body.organization.name).toBe('Engine')
  expect((await api('GET', '/api/me/organizations', undefined, { cookie })).body.data).toHaveLength(2)
  expect((await post('/api/me/organization', { organizationId: other.id }, { cookie })).status).toBe(200)
  expect((await me(cookie)).body).toMatchObject({ role: 'developer', organization: { name: 'Other' } })
  const foreign = await world.org('Foreign')
  expect((await post('/api/me/organization', { organizationId: foreign.id }, { cookie })).status).toBe(404)
  expect((await join(cookie, link)).body.code).toBe('invalid_code')
})

test('whoever made an account for an address is not in what its person joins later, by session nor by password', async () => {
  const early = await world.org('Early')
  await accept(await invite(early, 'future@example.com'), PASSWORD)
  const kept = await signIn('future@example.com', PASSWORD)
  const org = await world.org('Later')
  const link = await invite(org, 'future@example.com')
  const person = await signIn('future@example.com', PASSWORD)
  const refused = await join(person.cookie, link)
  expect([refused.status, refused.body.code]).toEqual([403, 'password_not_new'])
  const cookie = await newPassword(person.cookie, 'a password of their own')
  // Neither its age in the account nor another session's choice is what counts.
  const again = await signIn('future@example.com', 'a password of their own')
  expect((await join(again.cookie, link)).body.code).toBe('password_not_new')
  expect((await join(cookie, link)).status).toBe(200)
  expect((await me(kept.cookie)).status).toBe(401)
  expect((await signIn('future@example.com', PASSWORD)).status).toBe(401)
})

test('joining ends every other session of the person', async () => {
  const eli = await owner('eli@example.com')
  const org = await world.org('Alone')
  const link = await invite(org, 'eli@example.com')
  const cookie = await newPassword(eli.cookie, 'a password of his own')
  const second = await signIn('eli@example.com', 'a password of his own')
  expect((await join(cookie, link)).status).toBe(200)
  expect([(await me(second.cookie)).status, (await me(cookie)).status]).toEqual([401, 200])
})

test('a link that was tried without a session still lets the account in that it is for', async () => {
  const eva = await owner('eva@example.com')
  const org = await world.org('Patient')
  const link = await invite(org, 'eva@example.com')
  expect((await accept(link)).status).toBe(200)
  const cookie = await newPassword(eva.cookie, 'a password of her own')
  expect((await join(cookie, link)).status).toBe(200)
})

test('an invitation is for one address: another account cannot use it, nor can an access token', async () => {
  const mallory = await owner('mallory@example.com')
  const org = await world.org('Wanted')
  const link = await invite(org, 'someone-else@example.com')
  const taken = await join(mallory.cookie, link)
  expect([taken.status, taken.body.code]).toEqual([400, 'invalid_code'])
  expect(taken.text).not.toContain('someone-else')
  const token = await world.as(mallory.token)('POST', '/api/me/invitations', { code: codeIn(link) })
  expect([token.status, token.body.code]).toEqual([403, 'session_required'])
})

test('a withdrawn or expired invitation is refused', async () => {
  const org = await world.org('Invites')
  const ida = await owner('ida@example.com')
  const ids = async () => (await org.owner.api('GET', '/api/members/invitations')).body.data
  const withdrawn = await invite(org, 'ida@example.com')
  for (const { id } of await ids())
    expect((await org.owner.api('DELETE', `/api/members/invitations/${id}`)).status).toBe(200)
  const expired = await invite(org, 'e@example.com')
  await world.platform.pool.query(`update invitation set expires_at = now() where org_id = $1`, [org.id])
  const replaced = await invite(org, 'r@example.com')
  await invite(org, 'R@example.com')
  for (const link of [withdrawn, expired, replaced]) {
    const answers = [await accept(link), await join(ida.cookie, link)]
    for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([400, 'invalid_code'])
  }
})

test('a link that does not lead in says which it is: used, expired, withdrawn, replaced, tried too often or unknown', async () => {
  const org = await world.org('Reasons')
  const used = await invite(org, 'used@example.com')
  await accept(used)
  const withdrawn = await invite(org, 'withdrawn@example.com')
  const { data } = (await org.owner.api('GET', '/api/members/invitations')).body
  expect((await org.owner.api('DELETE', `/api/members/invitations/${data[0].id}`)).status).toBe(200)
  const replaced = await invite(org, 'replaced@example.com')
  await invite(org, 'replaced@example.com')
  const [expired, often] = [await invite(org, 'expired@example.com'), await invite(org, 'often@example.com')]
  const change = (set: string, email: string) =>
    world.platform.pool.query(`update invitation set ${set} where org_id = $1 and email = $2`, [org.id, email])
  await change(`expires_at = '2026-01-02'`, 'expired@example.com')
  await change('attempts = 5', 'often@example.com')
  const said = async (link: string) => {
    const { status, body } = await accept(link)
    return [status, body.code, body.error]
  }
  const no = (sentence: string) => [400, 'invalid_code', sentence]
  expect(await said(used)).toEqual(no('This link was used already.'))
  expect(await said(withdrawn)).toEqual(no('This invitation was withdrawn.'))
  expect(await said(replaced)).toEqual(no('This link was replaced by a newer one.'))
  expect(await said(expired)).toEqual(no('This link expired on 2026-01-02.'))
  expect(await said(often)).toEqual(no('This link was tried too often.'))
  expect(await said('#inv_nobody_ever_made_this_one')).toEqual(no('This link is not known here.'))
})

test('whoever invites an account without a password cannot choose its password', async () => {
  const input = { email: 'victim@example.com', organization: 'Victim', again: true, days: 1 }
  const victim = await bootstrap(world.platform, input)
  const attacker = await world.org('Attacker')
  await accept(await invite(attacker, 'victim@example.com'))
  expect((await signIn('victim@example.com', PASSWORD)).status).toBe(401)
  expect((await accept(victim.link, PASSWORD, 'V')).status).toBe(200)
  expect((await signIn('victim@example.com', PASSWORD)).status).toBe(200)
})

test('a member is not invited twice, and joining twice does not change a role', async () => {
  const org = await world.org('Twice')
  const member = await world.person(org.id, 'developer')
  const email = `${member.userId}@example.com`
  const answer = await org.owner.api('POST', '/api/members/invitations', { email, role: 'admin' })
  expect([answer.status, answer.body.code]).toEqual([409, 'already_member'])
})

test('invitations of one address at the same moment all succeed, and the last link works', async () => {
  const org = await world.org('Moment')
  const links = await Promise.all(Array.from({ length: 6 }, () => invite(org, 'moment@example.com')))
  expect(links.every((link) => link.includes('#'))).toBe(true)
  expect((await org.owner.api('GET', '/api/members/invitations')).body.data).toHaveLength(1)
  const answers = []
  for (const link of links) answers.push((await accept(link)).status)
  expect(answers.filter((status) => status === 200)).toHaveLength(1)
})

test('the page behind a link shows both forms to everyone and lets nothing else run', async () => {
  const page = await api('GET', '/join')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.text.match(/<form>/g)).toHaveLength(2)
  expect(() => new Script(/<script>([\s\S]*)<\/script>/.exec(page.text)?.[1] ?? '')).not.toThrow()
})
