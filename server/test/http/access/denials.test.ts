import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { browsers, PASSWORD } from './people.ts'

const world = await startWorld({ trustProxy: '127.0.0.1' })
const { post, signIn, me, owner } = browsers(world)
const { denials, pool, db } = world.platform

type Entry = {
  action: string
  target: string
  detail: Record<string, unknown>
  actor: { name: string }
  address: string
}
const entries = async (orgId: string, action: string): Promise<Entry[]> => {
  const { rows } = await pool.query('select * from audit where org_id = $1 and action = $2 order by id', [
    orgId,
    action,
  ])
  return rows
}
const later = () => denials.flush(Date.now() + 60_000)

test('failed sign-ins are in the log of every organization of the person, a flood of them as one entry', async () => {
  const ada = await owner('ada@example.com', 'Engine')
  const userId = (await me(ada.cookie)).body.user.id
  const other = await world.org('Other')
  await db.insertInto('member').values({ orgId: other.id, userId, role: 'viewer' }).execute()
  const address = { 'x-forwarded-for': '198.51.100.9' }
  for (let i = 0; i < 14; i++) await signIn('ada@example.com', `guess number ${i}`, address)
  await signIn('nobody@example.com', 'a guess', address)
  await denials.flush()
  for (const orgId of [ada.orgId, other.id]) {
    const [first, ...more] = await entries(orgId, 'session.refused')
    expect(more).toEqual([])
    expect(first).toMatchObject({ target: userId, address: '198.51.100.9', detail: { times: 14 } })
  }
  for (let i = 0; i < 5; i++) await signIn('ada@example.com', 'once more', address)
  await later()
  expect((await entries(ada.orgId, 'session.refused')).map(({ detail }) => detail.times)).toEqual([14, 5])
})

test('guesses from many addresses do not fill the log', async () => {
  const bob = await owner('bob@example.com')
  for (let i = 0; i < 40; i++)
    await signIn('bob@example.com', 'a wrong password', { 'x-forwarded-for': `198.51.101.${i}` })
  await later()
  const found = await entries(bob.orgId, 'session.refused')
  expect(found.length).toBeLessThanOrEqual(21)
  expect(found.reduce((sum, { detail }) => sum + Number(detail.times ?? 1), 0)).toBe(40)
})

test('refused permissions are in the log, by route, with what was lacking, and bounded', async () => {
  const org = await world.org('Refused')
  const viewer = await world.person(org.id, 'viewer')
  for (let i = 0; i < 30; i++) await viewer.api('POST', '/api/projects', { name: 'x' })
  await viewer.api('DELETE', '/api/projects/prj_x')
  await denials.flush()
  const found = await entries(org.id, 'permission.refused')
  expect(found).toHaveLength(2)
  expect(found[0]).toMatchObject({ target: 'POST /api/projects', detail: { requires: 'project:write', times: 30 } })
  const many = world.app.endpoints.filter(
    ({ access }) => 'permission' in access && !access.permission.startsWith('self:'),
  )
  const none = world.as(await world.tokenFor(viewer, { scopes: ['audit:read'] }))
  for (const { method, path } of many) await none(method, path.replaceAll(/:\w+/g, 'x'))
  await later()
  const all = await entries(org.id, 'permission.refused')
  expect(all.length).toBeLessThanOrEqual(2 + 21)
  expect(all.reduce((sum, { detail }) => sum + Number(detail.times ?? 1), 0)).toBeGreaterThanOrEqual(31 + 40)
})

test('what a token of one project may not do elsewhere is in the log, too', async () => {
  const org = await world.org('Restricted')
  const { id } = (await org.owner.api('POST', '/api/projects', { name: 'one' })).body
  await world.as(await world.tokenFor(org.owner, { projectId: id }))('GET', '/api/members')
  await denials.flush()
  expect(await entries(org.id, 'permission.refused')).toMatchObject([{ detail: { code: 'project_restricted' } }])
})

test('a session begins and goes on in the log of the organization that it really enters', async () => {
  const kim = await owner('kim@example.com', 'First')
  const userId = (await me(kim.cookie)).body.user.id
  const second = await world.org('Second')
  await db.insertInto('member').values({ orgId: second.id, userId, role: 'developer' }).execute()
  const { cookie } = await signIn('kim@example.com', PASSWORD)
  expect((await entries(second.id, 'session.begin')).length).toBe(0)
  await post('/api/me/organization', { organizationId: second.id }, { cookie })
  expect(await entries(second.id, 'session.enter')).toMatchObject([{ target: userId, actor_name: 'kim' }])
  expect((await entries(kim.orgId, 'session.begin')).length).toBe(2)
})

test('a session whose organization is gone does not go on in another one', async () => {
  const lee = await owner('lee@example.com', 'Stays')
  const userId = (await me(lee.cookie)).body.user.id
  const leaves = await world.org('Leaves')
  await db.insertInto('member').values({ orgId: leaves.id, userId, role: 'admin' }).execute()
  await post('/api/me/organization', { organizationId: leaves.id }, { cookie: lee.cookie })
  expect((await leaves.owner.api('DELETE', `/api/members/${userId}`)).status).toBe(200)
  const write = await post('/api/projects', { name: 'meant for the other one' }, { cookie: lee.cookie })
  expect([write.status, write.body.code]).toEqual([401, 'credentials_invalid'])
  expect((await me(lee.cookie)).status).toBe(401)
  const again = await signIn('lee@example.com', PASSWORD)
  expect((await me(again.cookie)).body.organization.name).toBe('Stays')
})

test('an organization that the person was not in when they signed in is not entered by itself', async () => {
  const max = await owner('max@example.com', 'Only')
  const userId = (await me(max.cookie)).body.user.id
  const other = await world.org('Later')
  await db.insertInto('member').values({ orgId: other.id, userId, role: 'viewer' }).execute()
  await db.deleteFrom('member').where('orgId', '=', max.orgId).where('userId', '=', userId).execute()
  expect((await me(max.cookie)).status).toBe(401)
})
