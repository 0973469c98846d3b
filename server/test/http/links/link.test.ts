import { LINK_SCOPES } from '@slipway/contract/link'
import { expect, test } from 'vitest'
import { formIn } from '../access/form-in.ts'
import { browsers } from '../access/people.ts'
import { startTwoWorlds, textOf } from './two-worlds.ts'

const { line, cloud, home, atCloud, rest, state, begin, signedIn, look, secretsOf, linked, linksOf } =
  await startTwoWorlds()

test('an instance is linked: a code here, an approval there, one row and one credential on each side', async () => {
  const [here, there] = [await home.org('Engine'), await cloud.org('Engine works')]
  expect(await state(here)).toEqual({ state: 'none', cloudUrl: line.url })
  const begun = await here.owner.api('POST', '/api/cloud/link')
  expect([begun.status, begun.body.verifyUrl, begun.body.interval]).toEqual([201, `${line.url}/device`, 5])
  const { userCode, verifyUrl, expiresAt } = begun.body
  expect(await look(here)).toEqual({ state: 'pending', cloudUrl: line.url, userCode, verifyUrl, expiresAt })
  const ada = await signedIn(there.owner)
  const asked = (await ada.look(userCode)).body
  expect(asked.instance).toEqual({ id: await home.platform.instance.id(), name: 'home.example.com (Engine)' })
  expect(asked.token).toEqual({ name: 'home.example.com (Engine)', days: null, scopes: [...LINK_SCOPES] })
  expect((await ada.approve(userCode, { organizationId: there.id })).status).toBe(200)
  const shown = await look(here)
  expect(shown).toMatchObject({ state: 'linked', organization: { id: there.id, name: 'Engine works' } })
  expect([shown.problem, shown.linkedBy.id]).toEqual([undefined, here.owner.userId])
  const [link] = await linksOf(there)
  expect(link).toMatchObject({ instanceId: asked.instance.id, createdBy: { id: there.owner.userId } })
  const { body: token } = await there.owner.api('GET', `/api/tokens/${link.tokenId}`)
  expect(token).toMatchObject({ scopes: [...LINK_SCOPES], expiresAt: null, projectId: null })
  const again = await here.owner.api('POST', '/api/cloud/link')
  expect([again.status, again.body.code]).toEqual([409, 'conflict'])
})

test('the page at /device says that an instance asks, which, from where, and what it could do', async () => {
  const { owner, fromHere } = browsers(cloud)
  const ada = await owner('ada@example.com', 'Engine')
  const here = await home.org('Home & <b>away</b>')
  const { userCode } = await begin(here)
  const send = (fields: Record<string, string>) =>
    cloud.as('')('POST', '/device', Buffer.from(new URLSearchParams(fields).toString()), {
      ...fromHere,
      cookie: ada.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    })
  const { text } = await send({ act: 'look', code: userCode })
  const named = 'home.example.com (Home &#38; &#60;b&#62;away&#60;/b&#62;)'
  for (const words of ['An instance of Slipway asks to be linked', userCode, named, '127.0.0.1', 'delete all projects'])
    expect(text).toContain(words)
  expect(text).not.toContain('everything that you may do')
  const yes = formIn(text, 'approve')
  expect((await send(yes.fields)).text).toContain('Done.')
  expect(await look(here)).toMatchObject({ state: 'linked', organization: { name: 'Engine' } })
})

test('an organization with a long or hostile name asks all the same, and its host is not cut away', async () => {
  const ada = await signedIn((await cloud.org()).owner)
  for (const name of ['𝒜'.repeat(40), `\u202e\u001b[2J${'x'.repeat(60)}`, `${' '.repeat(70)}end`]) {
    const begun = await (await home.org(name)).owner.api('POST', '/api/cloud/link')
    expect(begun.status, name).toBe(201)
    expect((await ada.look(begun.body.userCode)).body.instance.name).toMatch(/^home\.example\.com \(/)
  }
})

test('only an owner or admin of the organization links an instance to it, and whoever is neither is told so', async () => {
  const [here, there] = [await home.org(), await cloud.org('Guarded')]
  const { userCode } = await begin(here)
  const kim = await atCloud.visitor(there)
  expect((await kim.look(userCode)).body.organizations).toEqual([])
  const refused = await kim.approve(userCode)
  expect([refused.status, refused.body.requires]).toEqual([403, 'token:admin'])
  expect(refused.body.error).toContain('Only an owner or admin')
  expect((await look(here)).state).toBe('pending')
  const admin = await cloud.person(there.id, 'admin')
  expect((await (await signedIn(admin)).approve(userCode)).status).toBe(200)
  expect((await look(here)).state).toBe('linked')
})

test('what a link may do is fixed, whatever is sent with the approval', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const project = (await there.owner.api('POST', '/api/projects', { name: 'narrow' })).body.id
  const { userCode } = await begin(here)
  const wanted = { scopes: ['member:admin', 'token:admin'], projectId: project, elsewhere: true }
  expect((await (await signedIn(there.owner)).approve(userCode, wanted)).status).toBe(200)
  await look(here)
  const { body } = await cloud.as((await secretsOf(here)).credential)('GET', '/api/me')
  expect(new Set(body.permissions)).toEqual(new Set(LINK_SCOPES))
  expect(body.credential.projectId ?? null).toBeNull()
})

test('the credential works with projects and deployments, and cannot make tokens, read members or link others', async () => {
  const { here, there } = await linked('Narrow')
  const other = await linked('Other')
  const [foreign] = await linksOf(other.there)
  const link = cloud.as((await secretsOf(here)).credential)
  for (const path of ['/api/projects', '/api/deployments', '/api/servers'])
    expect((await link('GET', path)).status).toBe(200)
  expect((await link('POST', '/api/projects', { name: 'promoted' })).status).toBe(201)
  for (const path of [
    '/api/tokens',
    '/api/members',
    '/api/audit',
    '/api/registries',
    '/api/links',
    '/api/backup-destinations',
  ])
    expect((await link('GET', path)).status, path).toBe(403)
  expect((await link('POST', '/api/tokens', { name: 'more' })).status).toBe(403)
  expect((await link('DELETE', `/api/links/${foreign.id}`)).status).toBe(403)
  const { userCode } = await begin(await home.org())
  for (const [method, path] of [
    ['GET', `/api/auth/cli/${userCode}`],
    ['POST', `/api/auth/cli/${userCode}/approve`],
  ] as const)
    expect((await link(method, path, method === 'POST' ? {} : undefined)).body.code).toBe('session_required')
  expect((await linksOf(there)).length).toBe(1)
})

test('a request is for what it was asked for: a command line gets no link, and an instance nothing else', async () => {
  const there = await cloud.org()
  const ada = await signedIn(there.owner)
  const asked = await atCloud.ask()
  expect((await ada.look(asked.userCode)).body.instance).toBeNull()
  await ada.approve(asked.userCode)
  const { body } = await asked.redeem()
  expect([body.link, body.token.scopes]).toEqual([undefined, null])
  expect(await linksOf(there)).toEqual([])
  // The code of an instance is not taken from a link, and no redirect leads back to one.
  const { userCode } = await begin(await home.org())
  const page = await cloud.as('')('GET', `/cli?code=${userCode}`, undefined, await cloud.session(there.owner))
  expect(page.status).toBe(400)
  const redirected = { challenge: 'E'.repeat(43), name: 'x', instance: { id: 'ins_1', name: 'x' } }
  const answer = await atCloud.send({ ...redirected, redirect: 'http://127.0.0.1:49152/done' })
  expect([answer.status, answer.body.field]).toEqual([400, 'redirect'])
})

test('an instance of one’s own links nobody', async () => {
  const body = { challenge: 'E'.repeat(43), name: 'x', instance: { id: 'ins_1', name: 'x' } }
  const answer = await home.as('')('POST', '/api/auth/cli', body)
  expect([answer.status, answer.body.field]).toEqual([400, 'instance'])
  expect(answer.body.error).toContain('hosted cloud')
  const { owner } = await home.org()
  expect((await owner.api('GET', '/api/links')).status).toBe(404)
  expect((await (await cloud.org()).owner.api('GET', '/api/cloud/link')).status).toBe(404)
})

test('credential, verifier and the secret of the request stand nowhere in the clear, on neither side', async () => {
  const [here, there] = [await home.org(), await cloud.org()]
  const { userCode } = await begin(here)
  const { requestId, verifier } = await secretsOf(here)
  const open = [await textOf(home), await textOf(cloud)]
  await (await signedIn(there.owner)).approve(userCode)
  await rest()
  const shown = await here.owner.api('GET', '/api/cloud/link')
  expect(shown.body.state).toBe('linked')
  const { credential } = await secretsOf(here)
  expect(credential).toMatch(/^slp_/)
  for (const secret of [credential, verifier, requestId]) {
    for (const text of [...open, await textOf(home), await textOf(cloud), shown.text]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  }
})

test('both logs say who asked, approved and linked, and both how it ended', async () => {
  const { here, there } = await linked('Logged')
  await here.owner.api('DELETE', '/api/cloud/link')
  const actions = async ({ owner }: typeof here) =>
    (await owner.api('GET', '/api/audit')).body.data.map(({ action }: { action: string }) => action)
  expect(await actions(here)).toEqual(['cloud_link.end', 'cloud_link.create', 'cloud_link.begin'])
  expect((await actions(there)).filter((one: string) => one.startsWith('instance_link'))).toEqual([
    'instance_link.revoke',
    'instance_link.create',
    'instance_link.approve',
    'instance_link.ask',
  ])
})
