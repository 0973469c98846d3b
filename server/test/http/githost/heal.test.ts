import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { lookAtFailed, pollHeads } from '../../../src/core/githost/push/poll.ts'
import { hasten } from '../../../src/core/githost/push/poll-store.ts'
import { recheckInstallations } from '../../../src/core/githost/push/recheck.ts'
import { startSettling } from '../../../src/core/githost/push/settle-heads.ts'
import { link, madeApp, project, pushBody, send, server, settleAll } from './push-stage.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
const stage = { host, world }
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const org = await world.org('Acme')
const serverId = await server(world, org)
const app = await madeApp(stage, 'acme', org)
await link(stage, org, app)
const soon = () => AbortSignal.timeout(20_000)
const later = (seconds: number) => new Date(Date.now() + seconds * 1000)

let count = 0
async function made() {
  const full = `acme/h${count++}`
  const { id: repoId } = await host.do.repo({ full, private: true, autoInit: true })
  await db.updateTable('githostMirror').set({ listedAt: null, begunAt: null }).execute()
  const projectId = await project(stage, org, full, { serverId })
  const push = (quiet = true) => host.do.push({ full, content: randomUUID(), quiet })
  return { full, repoId, projectId, push }
}
const headOf = (repoId: number) =>
  db.selectFrom('githostHead').selectAll().where('repoId', '=', String(repoId)).executeTakeFirstOrThrow()
const deployments = (projectId: string) =>
  db.selectFrom('deployment').selectAll().where('projectId', '=', projectId).execute()

const problemOf = async (projectId: string) =>
  (await org.owner.api('GET', `/api/projects/${projectId}`)).body.repositoryProblem

test('a push that nobody told of is found by polling, deployed and listed', async () => {
  const { repoId, projectId, push, full } = await made()
  const { after } = await push()
  await pollHeads(world.platform, { now: later(90), signal: soon() })
  await settleAll(world)
  expect(await headOf(repoId)).toMatchObject({ sha: after, silentAt: expect.any(Date) })
  const [deployment] = await deployments(projectId)
  const { data } = (await org.owner.api('GET', `/api/githost/deliveries?projectId=${projectId}`)).body
  expect(data).toMatchObject([
    { via: 'poll', decision: 'deployed', deploymentId: deployment?.id, repository: full, after },
  ])
})

test('heads of one organization are asked for in one request', async () => {
  for (let n = 0; n < 3; n++) await made()
  host.do.requests()
  const { heads, lists } = await pollHeads(world.platform, { now: later(200), signal: soon() })
  expect([heads >= 3, lists]).toEqual([true, 1])
  expect(host.do.requests()).toHaveLength(1)
})

test('processes that poll at the same moment share the heads, and none is polled twice in a round', async () => {
  const now = later(400)
  const rounds = await Promise.all(
    ['a', 'b', 'c'].map((poller) => pollHeads(world.platform, { now, poller, signal: soon() })),
  )
  const total = Number(
    (
      await db
        .selectFrom('githostHead')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )
  expect(rounds.reduce((sum, { heads }) => sum + heads, 0)).toBe(total)
  // The one that has the tokens goes first.
  const [head] = await db.selectFrom('githostHead').selectAll().orderBy('pollAt').limit(1).execute()
  const due = head?.pollAt ?? now
  const others = ['a', 'b', 'c'].filter((poller) => poller !== head?.poller)
  expect((await pollHeads(world.platform, { now: due, poller: others[0] ?? '', signal: soon() })).heads).toBe(0)
  expect(
    (await pollHeads(world.platform, { now: due, poller: head?.poller ?? '', signal: soon() })).heads,
  ).toBeGreaterThan(0)
})

test('a host that is away is asked again within a minute, and a move is found then', async () => {
  const { repoId, push } = await made()
  const { after } = await push()
  host.do.faults({ outage: true })
  const now = later(3000)
  await pollHeads(world.platform, { now, signal: soon() })
  host.do.faults({ outage: false })
  const { pollAt } = await headOf(repoId)
  expect((pollAt?.getTime() ?? 0) - now.getTime()).toBeLessThanOrEqual(60_000)
  await pollHeads(world.platform, { now: new Date(now.getTime() + 61_000), signal: soon() })
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(after)
})

test('a repository that another one took the name of is not deployed', async () => {
  const { full, repoId, projectId, push } = await made()
  await push()
  host.do.removeRepo({ full })
  await host.do.repo({ full, private: true, autoInit: true })
  const before = (await headOf(repoId)).sha
  await pollHeads(world.platform, { now: later(7000), signal: soon() })
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(before)
  expect(await deployments(projectId)).toEqual([])
  expect(await problemOf(projectId)).toBe('replaced')
  // Whoever names another repository has nothing wrong any more.
  const patch = { repository: `${host.url}/acme/elsewhere.git` }
  expect((await org.owner.api('PATCH', `/api/projects/${projectId}`, patch)).body.repositoryProblem).toBe(null)
})

test('a project says that the connection does not see its repository, until it does again', async () => {
  const { repoId, projectId } = await made()
  const at = db.selectFrom('githostRepository').selectAll().where('repoId', '=', String(repoId))
  const rows = await at.execute()
  expect(await problemOf(projectId)).toBe(null)
  await db.deleteFrom('githostRepository').where('repoId', '=', String(repoId)).execute()
  await pollHeads(world.platform, { now: later(8000), signal: soon() })
  expect(await problemOf(projectId)).toBe('not_seen')
  await db
    .insertInto('githostRepository')
    .values(rows.map((row) => ({ ...row, permissions: JSON.stringify(row.permissions) })))
    .execute()
  await pollHeads(world.platform, { now: later(8900), signal: soon() })
  expect(await problemOf(projectId)).toBe(null)
})

test('deliveries that failed are found in the log of the app, once', async () => {
  const { repoId, push } = await made()
  // Nobody listens at its address.
  const { after } = await push(false)
  await host.do.delivered()
  await db.updateTable('githostApp').set({ heardAt: new Date() }).where('id', '=', app.row).execute()
  await lookAtFailed(world.platform, soon())
  expect((await headOf(repoId)).ask).toBe(true)
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(after)
  await lookAtFailed(world.platform, soon())
  expect((await headOf(repoId)).ask).toBe(false)
})

test('another default branch is followed', async () => {
  const { repoId, projectId, full } = await made()
  await host.do.push({ full, branch: 'next', content: 'x', quiet: true })
  const wanted = { defaultBranch: 'other' }
  await db.updateTable('githostRepository').set(wanted).where('repoId', '=', String(repoId)).execute()
  await pollHeads(world.platform, { now: later(9000), signal: soon() })
  const row = await db.selectFrom('project').select('headRef').where('id', '=', projectId).executeTakeFirstOrThrow()
  expect(row.headRef).toBeNull()
})

test('after a start everything is polled within a minute, whatever was planned', async () => {
  await db
    .updateTable('githostHead')
    .set({ pollAt: later(900), polledAt: later(-60) })
    .execute()
  const startedAt = new Date()
  let from: Date | null = later(60)
  while (from !== null) from = await hasten(db, from, startedAt)
  const rows = await db.selectFrom('githostHead').select('pollAt').execute()
  expect(rows.every(({ pollAt }) => (pollAt?.getTime() ?? 0) < Date.now() + 61_000)).toBe(true)
})

test('what moved is settled by the process that works, without being asked', async () => {
  const { repoId, push } = await made()
  const settling = startSettling(world.platform)
  const { after } = await push()
  await db
    .updateTable('githostHead')
    .set({ pollAt: new Date(), polledAt: null })
    .where('repoId', '=', String(repoId))
    .execute()
  await expect.poll(async () => (await headOf(repoId)).sha, { timeout: 20_000 }).toBe(after)
  await settling.stop()
})

test('a hook that does not tell of pushes is a problem of the connection, until it tells again', async () => {
  const { repoId, push, full } = await made()
  const problems = async () => (await org.owner.api('GET', '/api/githost/status')).body.problems
  await db.updateTable('githostHead').set({ silentAt: null }).execute()
  expect(await problems()).toEqual([])
  const { after } = await push()
  await pollHeads(world.platform, { now: later(20_000), signal: soon() })
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(after)
  expect(await problems()).toMatchObject([
    { source: 'app', code: 'webhook_silent', message: expect.stringContaining(full), hint: expect.any(String) },
  ])
  const viewer = await world.person(org.id, 'viewer')
  expect((await viewer.api('GET', '/api/githost/status')).body.problems).toMatchObject([{ code: 'webhook_silent' }])
  const moved = await push()
  await send(world, app, pushBody(app, full, { repoId, ...moved }))
  await settleAll(world)
  expect(await problems()).toEqual([])
})

const tell = (event: string, body: object) =>
  send(world, app, JSON.stringify({ installation: { id: app.installationId }, ...body }), { event })
const installed = () =>
  db.selectFrom('githostInstallation').selectAll().where('app', '=', app.row).executeTakeFirstOrThrow()

test('what is said of an installation is only a reason to ask the host', async () => {
  expect((await tell('installation', { action: 'deleted' })).status).toBe(202)
  await recheckInstallations(world.platform, soon())
  expect(await installed()).toMatchObject({ goneAt: null, suspendedAt: null })
  host.do.suspend({ id: app.installationId })
  await tell('installation', { action: 'suspend' })
  await recheckInstallations(world.platform, soon())
  expect((await installed()).suspendedAt).not.toBeNull()
  host.do.suspend({ id: app.installationId, on: false })
  await tell('installation', { action: 'unsuspend' })
  await recheckInstallations(world.platform, soon())
  expect(await installed()).toMatchObject({ goneAt: null, suspendedAt: null })
})

test('the address of a project follows its repository when that is renamed', async () => {
  const { full, repoId, projectId } = await made()
  await db
    .updateTable('project')
    .set({ repository: `${host.url}/acme/former.git` })
    .where('id', '=', projectId)
    .execute()
  await tell('repository', { action: 'renamed', repository: { id: repoId, full_name: full } })
  await recheckInstallations(world.platform, soon())
  const row = await db.selectFrom('project').select('repository').where('id', '=', projectId).executeTakeFirstOrThrow()
  expect(row.repository).toBe(`${host.url}/${full}.git`)
})

test('an installation that is gone at the host is gone here', async () => {
  host.do.uninstall({ id: app.installationId })
  await tell('installation', { action: 'deleted' })
  await recheckInstallations(world.platform, soon())
  expect((await installed()).goneAt).not.toBeNull()
})
