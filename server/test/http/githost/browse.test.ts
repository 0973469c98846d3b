import { expect, test } from 'vitest'
import { connectedLogin, startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const files = {
  'package.json': '{"name":"shop"}',
  'broken.json': '{"name":',
  'page.html': '<script>alert(1)</script>',
  'src/main.ts': 'export {}',
  'src/deep/er/x.txt': 'deep',
  'big.txt': 'x'.repeat(1_000_001),
}
const shop = await host.do.repo({ full: 'acme/shop', private: true, files })
await host.do.repo({ full: 'acme/books', private: true, files: { a: 'a' } })
await host.do.repo({ full: 'ada/hello', private: false, files: { a: 'a' } })
const org = await world.org('Acme')
await connectedLogin(world, host, org, 'ada')
const [admin, developer, viewer] = await Promise.all(
  (['admin', 'developer', 'viewer'] as const).map((role) => world.person(org.id, role)),
)
if (!admin || !developer || !viewer) throw new Error('three people')
const REPO = '/api/githost/repos/acme/shop'
const namesIn = (answer: { body: { data: { fullName: string }[] } }) =>
  answer.body.data.map(({ fullName }) => fullName).sort()

test('lists are filtered, searched and cut into pages', async () => {
  const api = org.owner.api
  expect(namesIn(await api('GET', '/api/githost/repos'))).toEqual(['acme/books', 'acme/shop', 'ada/hello'])
  expect(namesIn(await api('GET', '/api/githost/repos?owner=ACME&q=oo'))).toEqual(['acme/books'])
  expect((await api('GET', '/api/githost/repos?owner=nobody')).status).toBe(404)
  expect(namesIn(await api('GET', '/api/githost/orgs/acme/repos'))).toEqual(['acme/books', 'acme/shop'])
  expect((await api('GET', '/api/githost/orgs/ada/repos')).status).toBe(404)
  const first = await api('GET', '/api/githost/repos?limit=2')
  const rest = await api('GET', `/api/githost/repos?limit=2&cursor=${first.body.nextCursor}`)
  expect([...namesIn(first), ...namesIn(rest)].sort()).toEqual(['acme/books', 'acme/shop', 'ada/hello'])
  expect(rest.body.nextCursor).toBe(null)
  expect((await api('GET', '/api/githost/repos?cursor=bm90aGluZw')).status).toBe(400)
  const home = await api('GET', '/api/githost/home')
  expect(home.body).toMatchObject({ state: 'oauth', repos: [{}, {}, {}], nextCursor: null })
  expect(home.body.accounts.map(({ login, type }: { login: string; type: string }) => [login, type])).toEqual([
    ['acme', 'organization'],
    ['ada', 'user'],
  ])
})

test('a viewer sees what a project is deployed from, a developer what no rule takes, an admin everything', async () => {
  expect(namesIn(await viewer.api('GET', '/api/githost/repos'))).toEqual([])
  expect((await viewer.api('GET', REPO)).status).toBe(404)
  expect((await viewer.api('GET', '/api/githost/home')).body.accounts).toEqual([])
  const repository = `${host.url}/acme/shop.git`
  const project = await org.owner.api('POST', '/api/projects', { name: 'shop', repository })
  expect(project.status).toBe(201)
  await db.deleteFrom('githostMirror').execute()
  await org.owner.api('GET', '/api/githost/repos')
  expect(namesIn(await viewer.api('GET', '/api/githost/repos'))).toEqual(['acme/shop'])
  expect((await viewer.api('GET', REPO)).body).toMatchObject({ id: shop.id, linkedProjects: [{ name: 'shop' }] })
  for (const [path, status] of [
    [`${REPO}/clone-token`, 403],
    ['/api/githost/repos/acme/books', 404],
    ['/api/githost/repos/acme/books/file?file=a', 404],
    ['/api/githost/repos/acme/books/branches', 404],
  ] as const)
    expect((await viewer.api('GET', path)).status, path).toBe(status)
  const rules = [
    { orgId: org.id, role: 'developer' as const, pattern: 'acme', allow: false },
    { orgId: org.id, role: 'developer' as const, pattern: 'acme/sh*', allow: true },
    { orgId: org.id, role: 'viewer' as const, pattern: 'ada/hello', allow: true },
  ]
  await db.insertInto('githostRule').values(rules).execute()
  expect(namesIn(await developer.api('GET', '/api/githost/repos'))).toEqual(['acme/shop', 'ada/hello'])
  expect((await developer.api('GET', '/api/githost/repos/acme/books')).status).toBe(404)
  expect(namesIn(await viewer.api('GET', '/api/githost/repos'))).toEqual(['acme/shop'])
  expect(namesIn(await admin.api('GET', '/api/githost/repos'))).toHaveLength(3)
  await db.deleteFrom('githostRule').execute()
})

test('a repository that is newer than the list is found by its name', async () => {
  await host.do.repo({ full: 'acme/newest', private: true, files: { a: 'a' } })
  expect((await developer.api('GET', '/api/githost/repos/acme/newest')).body).toMatchObject({ fullName: 'acme/newest' })
  expect((await developer.api('GET', '/api/githost/repos/acme/never')).status).toBe(404)
})

test('a first listing shows its first page before it is complete, and says that more follows', async () => {
  const many = await world.org('Many')
  const login = await connectedLogin(world, host, many)
  await host.do.repos({ owner: login, count: 250 })
  host.do.faults({ latencyMs: 600, only: '/user/repos' })
  const first = await many.owner.api('GET', '/api/githost/repos')
  expect([first.status, first.body.data.length, first.body.listing]).toEqual([
    200,
    50,
    { state: 'filling', listedAt: null },
  ])
  // Not there yet is not unknown.
  const later = await many.owner.api('GET', '/api/githost/repos?owner=somebody')
  expect([later.status, later.body.data]).toEqual([200, []])
  host.do.clearFaults()
  const state = async () => (await many.owner.api('GET', '/api/githost/repos')).body.listing.state
  await expect.poll(state).toBe('current')
  expect((await many.owner.api('GET', '/api/githost/repos?owner=somebody')).status).toBe(404)
})

test('branches are listed page by page', async () => {
  for (const branch of ['next', 'feature/x']) await host.do.push({ full: 'acme/shop', branch })
  const first = await developer.api('GET', `${REPO}/branches?limit=2`)
  const rest = await developer.api('GET', `${REPO}/branches?limit=2&cursor=${first.body.nextCursor}`)
  const all = [...first.body.data, ...rest.body.data]
  expect(all.map(({ name }) => name).sort()).toEqual(['feature/x', 'main', 'next'])
  expect(all.find(({ name }) => name === 'main')).toMatchObject({
    isDefault: true,
    commitSha: expect.stringMatching(/^\w{40}$/),
  })
  const shown = await developer.api('GET', `${REPO}?branches=true`)
  expect([shown.body.branches.length, shown.body.branchesTruncated]).toEqual([3, false])
  expect((await developer.api('GET', `${REPO}/branches?cursor=eA`)).status).toBe(400)
})

test('folders are listed with folders first, and files are read as data', async () => {
  const root = await developer.api('GET', `${REPO}/files`)
  expect(root.body.data.map(({ name, type }: { name: string; type: string }) => [name, type])[0]).toEqual([
    'src',
    'dir',
  ])
  expect(root.body).toMatchObject({ path: '', branch: 'main', truncated: false })
  const inner = await developer.api('GET', `${REPO}/files?path=src/deep/er&branch=main`)
  expect(inner.body.data).toMatchObject([{ path: 'src/deep/er/x.txt', type: 'file', size: 4 }])
  expect((await developer.api('GET', `${REPO}/files?path=package.json`)).body.code).toBe('invalid_path')
  expect((await developer.api('GET', `${REPO}/file`)).body).toMatchObject({
    encoding: 'json',
    content: { name: 'shop' },
  })
  const other = await developer.api('GET', `${REPO}/file?file=version.txt&branch=feature/x`)
  expect(other.body).toMatchObject({ branch: 'feature/x', encoding: 'utf8' })
  const html = await developer.api('GET', `${REPO}/file?file=page.html`)
  expect(html.headers['content-type']).toContain('application/json')
  expect(html.body).toMatchObject({ encoding: 'utf8', content: files['page.html'] })
  const broken = await developer.api('GET', `${REPO}/file?file=broken.json`)
  expect(broken.body).toMatchObject({ encoding: 'utf8', parseError: expect.any(String) })
  expect((await developer.api('GET', `${REPO}/file?file=big.txt`)).status).toBe(413)
  expect((await developer.api('GET', `${REPO}/file?file=src`)).status).toBe(400)
  expect((await developer.api('GET', `${REPO}/file?file=missing`)).status).toBe(404)
})

test('names, branches and paths that mean something elsewhere name nothing here', async () => {
  host.do.requests()
  for (const path of ['../etc', '/etc/passwd', 'a/../b', './a', 'a//b', 'a\\b', '..'])
    expect((await developer.api('GET', `${REPO}/files?path=${encodeURIComponent(path)}`)).body.code, path).toBe(
      'invalid_path',
    )
  expect((await developer.api('GET', `${REPO}/file?file=a%00b`)).status).toBe(400)
  for (const branch of ['-x', '--upload-pack=x', 'a..b', 'a b', 'refs?x', 'a~1', 'a^', 'x.lock', '../../user'])
    expect((await developer.api('GET', `${REPO}/file?branch=${encodeURIComponent(branch)}`)).status, branch).toBe(404)
  for (const name of ['..', '-', 'a%2Fb', 'a%3Fx', 'a%23', '%2e%2e', 'shop%20'])
    expect((await developer.api('GET', `/api/githost/repos/acme/${name}/branches`)).status, name).toBe(404)
  expect((await developer.api('GET', '/api/githost/repos/..%2f..%2fuser/shop')).status).toBe(404)
  expect(host.do.requests().filter(({ path }) => /etc|passwd|%2e|\.\./i.test(path))).toEqual([])
})

test('a limit, an error or an outage of the host never looks like "not found"', async () => {
  host.do.faults({ secondaryNext: 1, retryAfterSeconds: 7 })
  const busy = await developer.api('GET', `${REPO}/branches`)
  expect([busy.status, busy.body.code]).toEqual([503, 'githost_busy'])
  expect(Number(busy.headers['retry-after'])).toBeGreaterThan(0)
  host.do.requests()
  // All processes leave it alone until then: the row says so.
  const again = await developer.api('GET', '/api/githost/repos/acme/unheard-of')
  expect([again.status, again.body.code, host.do.requests()]).toEqual([503, 'githost_busy', []])
  await db.deleteFrom('githostLimit').execute()
  host.do.faults({ errorShare: 1, errorStatus: 502 })
  const failing = await developer.api('GET', '/api/githost/repos/acme/unheard-of')
  expect([failing.status, failing.body.code]).toEqual([502, 'githost_unreachable'])
  host.do.clearFaults()
  host.do.faults({ outage: true })
  const down = await developer.api('GET', '/api/githost/repos/acme/unheard-of')
  expect([down.status, down.body.code]).toEqual([502, 'githost_unreachable'])
  // What is mirrored can still be listed, also when its time has come.
  await db
    .updateTable('githostMirror')
    .set({ listedAt: new Date(1) })
    .execute()
  const listed = await developer.api('GET', '/api/githost/repos?owner=acme')
  expect([listed.status, namesIn(listed).includes('acme/shop')]).toEqual([200, true])
  expect(listed.body.listing).toEqual({ state: 'stale', listedAt: new Date(1).toISOString() })
  expect((await developer.api('GET', '/api/githost/home')).body.listing.state).toBe('stale')
  host.do.clearFaults()
  expect((await developer.api('GET', '/api/githost/repos')).body.listing.state).toBe('current')
  expect((await developer.api('GET', `${REPO}/branches`)).status).toBe(200)
})

test('the hourly limit of the host is waited for, not worked around', async () => {
  host.do.limits({ primary: 1 })
  const answers = []
  for (let n = 0; n < 3; n++) answers.push(await developer.api('GET', `${REPO}/branches`))
  host.do.limits({ primary: 5000 })
  const last = answers.at(-1)
  expect([last?.status, last?.body.code]).toEqual([503, 'githost_busy'])
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(3000)
  await db.deleteFrom('githostLimit').execute()
})

test('single sign-on hides a repository and says how to open it', async () => {
  host.do.org({ login: 'sso-corp', members: { ada: 'admin' }, sso: true })
  await host.do.repo({ full: 'sso-corp/secret', private: true, files: { a: 'a' } })
  const answer = await developer.api('GET', '/api/githost/repos/sso-corp/secret')
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  expect(answer.body.hint).toMatch(/single sign-on/)
})

test('a token that the host does not take any more marks the account as broken', async () => {
  const other = await world.org()
  const login = await connectedLogin(world, host, other)
  await host.do.repo({ full: `${login}/own`, private: true, files: { a: 'a' } })
  const path = `/api/githost/repos/${login}/own`
  expect((await other.owner.api('GET', path)).status).toBe(200)
  const { token } = await db
    .selectFrom('githostAccount')
    .selectAll()
    .where('orgId', '=', other.id)
    .executeTakeFirstOrThrow()
  const { id } = await db
    .selectFrom('githostAccount')
    .selectAll()
    .where('orgId', '=', other.id)
    .executeTakeFirstOrThrow()
  host.do.revoke({ token: world.platform.keys.open(token ?? '', `githost_account/${id}/token`) })
  // Not "not found": nobody was there to say so.
  const noticed = await other.owner.api('GET', `${path}/branches`)
  expect([noticed.status, noticed.body.code]).toEqual([400, 'githost_not_connected'])
  expect(noticed.body.hint).toContain('Connect the git host again')
  const status = await other.owner.api('GET', '/api/githost/status')
  expect(status.body).toMatchObject({ state: 'oauth', problems: [{ source: 'oauth', code: 'broken' }] })
  const refused = await other.owner.api('GET', '/api/githost/repos')
  expect([refused.status, refused.body.code]).toEqual([400, 'githost_not_connected'])
  expect(refused.body.hint).toContain('/api/githost/status')
})

test('a token that is restricted to one project is refused on all of them', async () => {
  const { body } = await org.owner.api('POST', '/api/projects', { name: 'restricted' })
  const api = world.as(await world.tokenFor(org.owner, { projectId: body.id }))
  for (const path of ['/api/githost/status', '/api/githost/repos', REPO, `${REPO}/clone-token`])
    expect((await api('GET', path)).body.code, path).toBe('project_restricted')
})

test('what a source on the host is can be told without cloning it', async () => {
  const answer = await developer.api('POST', '/api/deployments/prepare', {
    source: 'githost',
    owner: 'acme',
    repo: 'shop',
  })
  expect([answer.status, answer.body.language]).toEqual([200, 'typescript'])
  const nothing = await (await world.org()).owner.api('POST', '/api/deployments/prepare', {
    ...{ source: 'githost', owner: 'acme', repo: 'shop' },
  })
  expect([nothing.status, nothing.body.code]).toEqual([400, 'githost_not_connected'])
})
