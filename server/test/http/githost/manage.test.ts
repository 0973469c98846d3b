import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectBy } from '../../../../test-kit/githost-browser.ts'
import type { Org } from '../../../../test-kit/world.ts'
import { connectedCredential } from '../../../src/core/githost/clone-token.ts'
import { gitBinary } from '../../../src/drivers/git/binary.ts'
import { connectedLogin, registeredApp, startGithostWorld } from './stage.ts'

const { host, world, browser } = await startGithostWorld((lab) => {
  lab.do.user({ login: 'ada' })
  lab.do.org({ login: 'acme', members: { ada: 'admin' } })
  return { app: registeredApp(lab, 'acme') }
})
const { db } = world.platform
const shop = await host.do.repo({ full: 'acme/shop', private: true, files: { 'index.html': 'hi' } })
await host.do.repo({ full: 'acme/books', private: true, files: { a: 'a' } })
host.do.autoApprove({ on: true })
const signal = new AbortController().signal
const installed = async (org: Org) => {
  const { body } = await org.owner.api('POST', '/api/githost/connect', { source: 'app' })
  expect((await connectBy(browser(), 'ada', body.url, { target: 'acme' })).text).toContain('is connected')
}
const app = await world.org('With an app')
await installed(app)
const person = await world.org('With an account')
await connectedLogin(world, host, person, 'ada')
const REPO = '/api/githost/repos/acme/shop'

test('a clone token reads one repository for less than an hour, and the command shows it nowhere', async () => {
  const answer = await app.owner.api('GET', `${REPO}/clone-token`)
  expect(answer.status).toBe(200)
  const { token, cloneUrl, command, expiresAt } = answer.body
  expect(cloneUrl).toBe(`${host.url}/acme/shop.git`)
  expect(command).not.toContain(token)
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3600_000)
  const credential = { kind: 'token' as const, username: 'x-access-token', token }
  const git = gitHere()
  expect((await git.resolve({ url: cloneUrl, branch: null, credential }, signal)).branch).toBe('main')
  const other = { url: `${host.url}/acme/books.git`, branch: null, credential }
  await expect(git.resolve(other, signal)).rejects.toMatchObject({ driver: 'git' })
  const audited = await db.selectFrom('audit').selectAll().where('action', '=', 'githost.clone_token').execute()
  expect(audited).toHaveLength(1)
  expect(JSON.stringify(audited)).not.toContain(token)
})

test('the command clones with a token that is in no argument and in no file', async () => {
  const { token, command } = (await app.owner.api('GET', `${REPO}/clone-token`)).body
  const folder = await mkdtemp(join(tmpdir(), 'slipway-clone-'))
  const env = { PATH: process.env.PATH, HOME: folder, GIT_SSL_CAINFO: host.caFile, GIT_TERMINAL_PROMPT: '0' }
  // It is for a person's terminal: the shell is theirs, and its text is what the API answered.
  const shell = spawn('bash', ['-s'], { cwd: folder, env, stdio: ['pipe', 'ignore', 'pipe'] })
  const seen: string[] = []
  const watching = setInterval(() => void readArguments().then((all) => seen.push(...all)), 5)
  shell.stdin.end(`${command}\n${token}\n`)
  const code = await new Promise((resolve) => shell.once('close', resolve))
  clearInterval(watching)
  expect(code).toBe(0)
  expect(await readFile(join(folder, 'shop', 'index.html'), 'utf8')).toBe('hi')
  expect(await readFile(join(folder, 'shop', '.git', 'config'), 'utf8')).not.toContain(token.slice(4, 40))
  expect(seen.length).toBeGreaterThan(0)
  expect(
    seen.filter(
      (line) => line.includes(token) || line.includes(Buffer.from(`x-access-token:${token}`).toString('base64')),
    ),
  ).toEqual([])
  await rm(folder, { recursive: true, force: true })
})

async function readArguments(): Promise<string[]> {
  const { readdir } = await import('node:fs/promises')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}

test('without an installation there is no clone token, and viewers get none at all', async () => {
  const refused = await person.owner.api('GET', `${REPO}/clone-token`)
  expect([refused.status, refused.body.code]).toEqual([409, 'no_installation'])
  const nothing = await (await world.org()).owner.api('GET', `${REPO}/clone-token`)
  expect([nothing.status, nothing.body.code]).toEqual([409, 'no_installation'])
  const viewer = await world.person(app.id, 'viewer')
  const denied = await viewer.api('GET', `${REPO}/clone-token`)
  expect([denied.status, denied.body.requires]).toEqual([403, 'githost:write'])
  const developer = await world.person(app.id, 'developer')
  const api = world.as(await world.tokenFor(developer, { scopes: ['githost:read'] }))
  expect((await api('GET', `${REPO}/clone-token`)).status).toBe(200)
})

test('a person gets at most 30 clone tokens in a minute', async () => {
  const developer = await world.person(app.id, 'developer')
  const answers = await Promise.all(Array.from({ length: 32 }, () => developer.api('GET', `${REPO}/clone-token`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  expect(answers.filter(({ body }) => body.code === 'rate_limited')).toHaveLength(2)
})

test('repositories are created where the connection may, and a taken name is said to be so', async () => {
  const made = await person.owner.api('POST', '/api/githost/repos', { name: 'fresh', owner: 'acme' })
  expect([made.status, made.body.data.fullName, made.body.data.private]).toEqual([201, 'acme/fresh', true])
  const own = await person.owner.api('POST', '/api/githost/repos', { name: 'mine', private: false })
  expect([own.status, own.body.data.fullName, own.body.data.private]).toEqual([201, 'ada/mine', false])
  const taken = await person.owner.api('POST', '/api/githost/repos', { name: 'mine' })
  expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
  const forbidden = await app.owner.api('POST', '/api/githost/repos', { name: 'more' })
  expect([forbidden.status, forbidden.body.code]).toEqual([409, 'githost_forbids'])
  expect(forbidden.body.error).toContain('administration: write')
  const nobody = await (await world.org()).owner.api('POST', '/api/githost/repos', { name: 'x' })
  expect([nobody.status, nobody.body.code]).toEqual([400, 'githost_not_connected'])
})

test('deleting a repository is audited with the projects that were deployed from it, which stay', async () => {
  await host.do.repo({ full: 'acme/old', private: true, files: { a: 'a' } })
  const project = { name: 'old', repository: `${host.url}/acme/old.git` }
  const { body } = await person.owner.api('POST', '/api/projects', project)
  const forbidden = await app.owner.api('DELETE', '/api/githost/repos/acme/old')
  expect([forbidden.status, forbidden.body.code]).toEqual([409, 'githost_forbids'])
  const gone = await person.owner.api('DELETE', '/api/githost/repos/acme/old')
  expect(gone.body).toEqual({ success: true, projects: ['old'] })
  expect((await person.owner.api('GET', '/api/githost/repos/acme/old')).status).toBe(404)
  expect((await person.owner.api('GET', `/api/projects/${body.id}`)).status).toBe(200)
})

test('a hook is made once, reused, listed without its secret, and taken away', async () => {
  const made = await person.owner.api('POST', `${REPO}/webhooks`)
  expect([made.status, made.body.created, made.body.via]).toEqual([201, true, 'hook'])
  const again = await person.owner.api('POST', `${REPO}/webhooks`)
  expect([again.status, again.body.created, again.body.hookId]).toEqual([200, false, made.body.hookId])
  const row = await db.selectFrom('githostHook').selectAll().executeTakeFirstOrThrow()
  expect(row.secret).toMatch(/^v1\./)
  const listed = await person.owner.api('GET', `${REPO}/webhooks`)
  expect(listed.body.data).toMatchObject([{ hookId: made.body.hookId, ours: true, events: ['push', 'repository'] }])
  expect(listed.text).not.toContain('secret')
  expect((await person.owner.api('GET', REPO)).body.push.via).toBe('hook')
  expect((await person.owner.api('DELETE', `${REPO}/webhooks`, { hookId: 999_999 })).status).toBe(404)
  expect((await person.owner.api('DELETE', `${REPO}/webhooks`, { hookId: made.body.hookId })).body).toEqual({
    success: true,
  })
  expect((await person.owner.api('GET', `${REPO}/webhooks`)).body.data).toEqual([])
})

test('the app’s own hook covers its repositories', async () => {
  const covered = await app.owner.api('POST', `${REPO}/webhooks`)
  expect([covered.status, covered.body]).toEqual([200, { success: true, hookId: null, created: false, via: 'app' }])
  expect((await app.owner.api('GET', `${REPO}/webhooks`)).body).toEqual({
    data: [],
    app: { covers: true, lastDeliveryAt: null },
  })
  expect((await app.owner.api('DELETE', `${REPO}/webhooks`, { hookId: 1 })).status).toBe(400)
})

const gitHere = () =>
  gitBinary({
    mayConnect: (address) => address === '127.0.0.1',
    trust: { extra: host.caFile, bundle: join(world.dataDir, 'authorities.pem') },
  })

test('a deployment reads a private repository with what is connected, and for that repository alone', async () => {
  const repository = `${host.url}/acme/shop.git`
  for (const org of [app, person]) {
    const { body } = await org.owner.api('POST', '/api/projects', { name: 'deployed', repository })
    const project = await db.selectFrom('project').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
    const credential = await connectedCredential(world.platform, project, repository, signal)
    const found = await gitHere().resolve({ url: repository, branch: 'main', credential }, signal)
    expect(found.branch).toBe('main')
    if (org !== app) continue
    const other = { url: `${host.url}/acme/books.git`, branch: 'main', credential }
    await expect(gitHere().resolve(other, signal)).rejects.toMatchObject({ driver: 'git' })
  }
})

test('whoever may not read the connection’s repositories cannot do it by way of a project', async () => {
  const { body } = await app.owner.api('POST', '/api/projects', {
    name: 'narrow',
    repository: `${host.url}/acme/shop.git`,
  })
  const rowOf = () => db.selectFrom('project').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  const repository = `${host.url}/acme/books.git`
  const restricted = world.as(await world.tokenFor(app.owner, { projectId: body.id }))
  const scoped = world.as(await world.tokenFor(app.owner, { scopes: ['project:write', 'deployment:write'] }))
  for (const api of [restricted, scoped]) {
    await app.owner.api('PATCH', `/api/projects/${body.id}`, { repository: `${host.url}/acme/shop.git` })
    expect(await connectedCredential(world.platform, await rowOf(), `${host.url}/acme/shop.git`, signal)).not.toBe(null)
    expect((await api('PATCH', `/api/projects/${body.id}`, { repository })).status).toBe(200)
    expect(await connectedCredential(world.platform, await rowOf(), repository, signal)).toBe(null)
  }
  const elsewhere = 'https://elsewhere.example/acme/shop.git'
  await app.owner.api('PATCH', `/api/projects/${body.id}`, { repository: elsewhere })
  expect(await connectedCredential(world.platform, await rowOf(), elsewhere, signal)).toBe(null)
})

test('another repository under the same name is not deployed', async () => {
  const repository = `${host.url}/acme/swapped.git`
  await host.do.repo({ full: 'acme/swapped', private: true, files: { a: 'a' } })
  const { body } = await app.owner.api('POST', '/api/projects', { name: 'swapped', repository })
  await app.owner.api('GET', '/api/githost/repos/acme/swapped')
  await host.do.removeRepo({ full: 'acme/swapped' })
  await host.do.repo({ full: 'acme/swapped', private: true, files: { a: 'evil' } })
  await db.deleteFrom('githostMirror').execute()
  await app.owner.api('GET', '/api/githost/repos')
  const project = await db.selectFrom('project').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  await expect(connectedCredential(world.platform, project, repository, signal)).rejects.toMatchObject({
    code: 'git_repository_not_found',
  })
  expect(Number(project.githostRepoId)).not.toBe(shop.id)
})

test('an installation that was connected a moment ago makes clone tokens for what an account has listed', async () => {
  const later = await world.org('Later')
  await connectedLogin(world, host, later, 'ada')
  expect((await later.owner.api('GET', '/api/githost/repos')).status).toBe(200)
  expect((await later.owner.api('GET', `${REPO}/clone-token`)).status).toBe(409)
  await installed(later)
  expect((await later.owner.api('GET', `${REPO}/clone-token`)).status).toBe(200)
  expect((await later.owner.api('POST', `${REPO}/webhooks`)).body.via).toBe('app')
})

test('an installation that leaves a repository out does not stand in the way of an account that sees it', async () => {
  const both = await world.org('Both')
  await installed(both)
  await connectedLogin(world, host, both, 'ada')
  const { installationId } = await db
    .selectFrom('githostLink')
    .selectAll()
    .where('orgId', '=', both.id)
    .executeTakeFirstOrThrow()
  await host.do.repo({ full: 'acme/apart', private: true, files: { a: 'a' } })
  host.do.select({ id: Number(installationId), repos: ['shop'] })
  expect((await both.owner.api('GET', '/api/githost/status')).body.state).toBe('mixed')
  expect((await both.owner.api('GET', '/api/githost/repos/acme/apart')).body).toMatchObject({ source: 'oauth' })
  expect((await both.owner.api('GET', REPO)).body).toMatchObject({ source: 'app' })
  const hook = await both.owner.api('POST', '/api/githost/repos/acme/apart/webhooks')
  expect([hook.status, hook.body.via]).toEqual([201, 'hook'])
  expect((await both.owner.api('GET', '/api/githost/repos/acme/apart/clone-token')).body.code).toBe('no_installation')
  expect((await both.owner.api('DELETE', '/api/githost/repos/acme/apart')).status).toBe(200)
  host.do.select({ id: Number(installationId), repos: null })
  // What only a source shows that cannot be used now is not listed.
  await both.owner.api('GET', '/api/githost/repos')
  await db.updateTable('githostAccount').set({ brokenAt: new Date() }).where('orgId', '=', both.id).execute()
  const listed = (await both.owner.api('GET', '/api/githost/repos')).body.data
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.filter(({ source }: { source: string }) => source !== 'app')).toEqual([])
})

test('a link that was proved for some repositories makes tokens for no other, whatever the list says', async () => {
  const some = await world.org('Some')
  await installed(some)
  expect((await some.owner.api('GET', '/api/githost/repos')).status).toBe(200)
  await db
    .updateTable('githostLink')
    .set({ repoIds: [shop.id] })
    .where('orgId', '=', some.id)
    .execute()
  world.platform.githostTokens.drop()
  const other = await some.owner.api('GET', '/api/githost/repos/acme/books/clone-token')
  expect([other.status, other.body.code]).toEqual([409, 'no_installation'])
  expect((await some.owner.api('GET', '/api/githost/repos/acme/books/file?file=a')).status).toBe(404)
  expect((await some.owner.api('GET', `${REPO}/clone-token`)).status).toBe(200)
})

test('a host that is down fails a deployment in words of git, and does not read as a missing repository', async () => {
  const repository = `${host.url}/acme/never-listed.git`
  const { body } = await app.owner.api('POST', '/api/projects', { name: 'down', repository })
  const project = await db.selectFrom('project').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  host.do.faults({ outage: true })
  const asked = connectedCredential(world.platform, project, repository, signal)
  await expect(asked).rejects.toMatchObject({ driver: 'git', code: 'git_unreachable' })
  host.do.clearFaults()
  expect(await connectedCredential(world.platform, project, repository, signal)).toBe(null)
})

test('two who ask for the first list at once both get it', async () => {
  const fresh = await world.org('Fresh')
  await connectedLogin(world, host, fresh, 'ada')
  host.do.faults({ latencyMs: 300 })
  const answers = await Promise.all([1, 2, 3].map(() => fresh.owner.api('GET', '/api/githost/repos')))
  host.do.clearFaults()
  const counts = answers.map(({ body }) => body.data.length)
  expect(counts[0]).toBeGreaterThan(1)
  expect(new Set(counts).size).toBe(1)
})

test('no token of the host is in any table, nor in the audit log', async () => {
  const tables = await world.platform.pool.query(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  for (const { name } of tables.rows) {
    const { rows } = await world.platform.pool.query(`select t::text as text from "${name}" t`)
    expect(
      rows.filter(({ text }) => /gh[spour]_[A-Za-z0-9]{8}/.test(text)),
      name,
    ).toEqual([])
  }
})
