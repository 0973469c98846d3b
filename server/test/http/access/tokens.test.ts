import { expect, test, vi } from 'vitest'
import { clientOf, startWorld } from '../../../../test-kit/world.ts'

const world = await startWorld()
const org = await world.org()
const { owner } = org

test('a new token is shown once and works', async () => {
  const made = await owner.api('POST', '/api/tokens', { name: 'ci' })
  expect(made.status).toBe(201)
  expect(made.body.secret).toMatch(/^slp_[\w-]{43}$/)
  const again = await owner.api('GET', `/api/tokens/${made.body.token.id}`)
  expect(again.text).not.toContain(made.body.secret)
  expect((await world.as(made.body.secret)('GET', '/api/me')).status).toBe(200)
  const stored = await world.platform.pool.query('select * from token where id = $1', [made.body.token.id])
  expect(JSON.stringify(stored.rows)).not.toContain(made.body.secret)
})

test('a revoked token is refused by the next request', async () => {
  const { body } = await owner.api('POST', '/api/tokens', { name: 'short' })
  expect((await world.as(body.secret)('GET', '/api/me')).status).toBe(200)
  expect((await owner.api('DELETE', `/api/tokens/${body.token.id}`)).status).toBe(200)
  const refused = await world.as(body.secret)('GET', '/api/me')
  expect([refused.status, refused.body.code]).toEqual([401, 'credentials_invalid'])
})

test('whether a token has expired is judged by the clock of the database, whatever that of the process says', async () => {
  const token = await world.tokenFor(owner, { expiresAt: new Date(Date.now() + 3600_000) })
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 400 * 24 * 3600_000)
  const answer = await world.as(token)('GET', '/api/me')
  const files = [{ path: 'a', sha256: '0'.repeat(64), size: 1, mode: 0o644 }]
  const session = await world.as(token)('POST', '/api/projects/folder-sessions', { files })
  clock.mockRestore()
  expect([answer.status, session.status]).toEqual([200, 201])
  const days = (new Date(session.body.expiresAt).getTime() - Date.now()) / (24 * 3600_000)
  expect(days).toBeLessThan(2)
})

test('an expired token is refused and says so', async () => {
  const token = await world.tokenFor(owner, { expiresAt: new Date(Date.now() - 1000) })
  const refused = await world.as(token)('GET', '/api/me')
  expect([refused.status, refused.body.code]).toEqual([401, 'credentials_expired'])
})

test("a removed member's token is refused by the next request", async () => {
  const leaving = await world.person(org.id, 'developer')
  expect((await leaving.api('GET', '/api/projects')).status).toBe(200)
  expect((await owner.api('DELETE', `/api/members/${leaving.userId}`)).status).toBe(200)
  expect((await leaving.api('GET', '/api/projects')).status).toBe(401)
})

test("a token of another organization does not see this one's projects", async () => {
  const project = (await owner.api('POST', '/api/projects', { name: 'mine' })).body
  const other = await world.org('Other')
  expect((await other.owner.api('GET', `/api/projects/${project.id}`)).status).toBe(404)
  expect((await other.owner.api('GET', '/api/projects')).body.data).toEqual([])
})

test('a scope narrower than the role decides', async () => {
  const token = await world.tokenFor(owner, { scopes: ['project:list'] })
  expect((await world.as(token)('GET', '/api/projects')).status).toBe(200)
  const refused = await world.as(token)('POST', '/api/projects', { name: 'no' })
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({ code: 'permission_denied', requires: 'project:write' })
})

test('a scope wider than the role does not widen it', async () => {
  const viewer = await world.person(org.id, 'viewer')
  const token = await world.tokenFor(viewer, { scopes: ['project:write'] })
  expect((await world.as(token)('POST', '/api/projects', { name: 'no' })).status).toBe(403)
})

test('a token cannot make a token that holds more, reaches further or lives longer than itself', async () => {
  const project = (await owner.api('POST', '/api/projects', { name: 'fenced' })).body
  const expiresAt = new Date(Date.now() + 3600_000)
  const scopes = ['token:write', 'token:read', 'project:read'] as const
  const narrow = world.as(await world.tokenFor(owner, { scopes: [...scopes], expiresAt }))
  const beyond = await narrow('POST', '/api/tokens', { name: 'x', scopes: ['project:admin'] })
  expect([beyond.status, beyond.body.code]).toEqual([400, 'scope_exceeds_caller'])
  const same = await narrow('POST', '/api/tokens', { name: 'x', expiresAt: '2099-01-01T00:00:00.000Z' })
  expect(same.body.token.scopes.sort()).toEqual([...scopes].sort())
  expect(same.body.token.expiresAt).toBe(expiresAt.toISOString())
  const fenced = world.as(await world.tokenFor(owner, { projectId: project.id }))
  expect((await fenced('POST', '/api/tokens', { name: 'x' })).body.code).toBe('project_restricted')
})

test('a token restricted to a project reaches that project and nothing else', async () => {
  const [a, b] = await Promise.all(
    ['one', 'two'].map(async (name) => (await owner.api('POST', '/api/projects', { name })).body),
  )
  const api = world.as(await world.tokenFor(owner, { projectId: a.id }))
  expect((await api('GET', `/api/projects/${a.id}`)).status).toBe(200)
  expect((await api('PUT', `/api/projects/${a.id}/variables`, { variables: [{ name: 'A', value: '1' }] })).status).toBe(
    200,
  )
  expect((await api('GET', `/api/projects/${b.id}`)).status).toBe(404)
  expect((await api('PATCH', `/api/projects/${b.id}`, { name: 'x' })).status).toBe(404)
  expect((await api('GET', `/api/projects/${b.id}/variables`)).status).toBe(404)
  expect((await api('GET', '/api/projects')).body.data.map((p: { id: string }) => p.id)).toEqual([a.id])
  expect((await api('GET', '/api/projects?name=two')).body.data).toEqual([])
  expect((await api('POST', '/api/projects', { name: 'three' })).body.code).toBe('project_restricted')
  expect((await api('POST', '/api/projects/ensure', { name: 'one' })).body.created).toBe(false)
  expect((await api('POST', '/api/projects/ensure', { name: 'three' })).body.code).toBe('project_restricted')
  expect((await api('GET', '/api/servers')).body.code).toBe('project_restricted')
  expect((await api('GET', '/api/members')).status).toBe(403)
})

test('last use is written at most once a minute', async () => {
  const { body } = await owner.api('POST', '/api/tokens', { name: 'used' })
  const api = world.as(body.secret)
  const lastUse = async () => (await owner.api('GET', `/api/tokens/${body.token.id}`)).body.lastUsedAt
  expect(await lastUse()).toBeNull()
  await api('GET', '/api/me')
  await world.platform.tokenUse.flush()
  const first = await lastUse()
  expect(first).not.toBeNull()
  await api('GET', '/api/me')
  await world.platform.tokenUse.flush()
  expect(await lastUse()).toBe(first)
  await world.platform.pool.query(`update token set last_used_at = now() - interval '61 seconds' where id = $1`, [
    body.token.id,
  ])
  await api('GET', '/api/me')
  await world.platform.tokenUse.flush()
  expect(Date.parse(await lastUse())).toBeGreaterThanOrEqual(Date.parse(first))
})

test("a developer sees their own tokens, an admin everyone's", async () => {
  const fresh = await world.org('Fresh')
  const developer = await world.person(fresh.id, 'developer')
  const ids = async (api: typeof developer.api) => (await api('GET', '/api/tokens')).body.data.length
  expect(await ids(developer.api)).toBe(1)
  expect(await ids(fresh.owner.api)).toBe(2)
  const owned = (await fresh.owner.api('POST', '/api/tokens', { name: 'o' })).body.token.id
  expect((await developer.api('DELETE', `/api/tokens/${owned}`)).status).toBe(404)
})

test('the typed client speaks to the API as it is', async () => {
  const client = clientOf(world.app, owner.token)
  const me = await client.me.show()
  expect(me.role).toBe('owner')
  const { project } = await client.projects.ensure({ body: { name: 'typed' } })
  expect((await client.projects.show({ params: { id: project.id } })).name).toBe('typed')
  await expect(client.projects.show({ params: { id: 'prj_x' } })).rejects.toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
})

test('a narrow token cannot fetch a wide one through an Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'guessable' }
  const wide = await owner.api('POST', '/api/tokens', { name: 'wide' }, key)
  const narrow = world.as(await world.tokenFor(owner, { scopes: ['token:write'] }))
  const replayed = await narrow('POST', '/api/tokens', { name: 'wide' }, key)
  expect(replayed.body.secret).not.toBe(wide.body.secret)
  expect(replayed.body.token.scopes).toEqual(['token:write'])
})

test('/api/me tells what a restricted token may really do, and of its own organization only', async () => {
  const project = (await owner.api('POST', '/api/projects', { name: 'told' })).body
  await world.platform.db.insertInto('organization').values({ id: 'org_zzz', name: 'Newer' }).execute()
  await world.platform.db
    .insertInto('member')
    .values({ orgId: 'org_zzz', userId: owner.userId, role: 'viewer' })
    .execute()
  const api = world.as(await world.tokenFor(owner, { projectId: project.id }))
  const { permissions } = (await api('GET', '/api/me')).body
  expect(permissions).toContain('project:write')
  expect(permissions.some((scope: string) => scope.startsWith('server:'))).toBe(false)
  const page = (await owner.api('GET', '/api/me/organizations?limit=1')).body
  expect(page.data.map((o: { id: string }) => o.id)).toEqual([org.id])
})

test('any token may end itself, without token:write and also when it is of one project', async () => {
  const project = (await owner.api('POST', '/api/projects', { name: 'ending' })).body.id
  for (const limits of [{ scopes: ['project:read' as const] }, { projectId: project }]) {
    const token = world.as(await world.tokenFor(owner, limits))
    const { id } = (await token('GET', '/api/me')).body.credential
    expect((await token('DELETE', '/api/tokens/self')).body).toEqual({ success: true })
    expect((await token('GET', '/api/me')).status).toBe(401)
    const [entry] = (await owner.api('GET', `/api/audit?action=token.revoke&target=${id}`)).body.data
    expect(entry.actor).toMatchObject({ kind: 'token', tokenId: id })
  }
})

test('a session is no token: it is told how it ends', async () => {
  const session = await world.session(await world.person(org.id, 'viewer'))
  const answer = await world.as('')('DELETE', '/api/tokens/self', undefined, session)
  expect([answer.status, answer.body.code]).toEqual([403, 'token_required'])
  expect((await world.as('')('GET', '/api/me', undefined, session)).status).toBe(200)
})
