import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { followRun } from '../../../src/core/githost/push/follow-run.ts'
import { link, madeApp, project, pushBody, send, server, settleAll } from './push-stage.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const org = await world.org('Acme')
const stage = { host, world }
const serverId = await server(world, org)
const app = await madeApp(stage, 'acme', org)
await link(stage, org, app)
const { api } = org.owner

let count = 0
async function made(more: object = {}) {
  const full = `acme/r${count++}`
  const { id: repoId } = await host.do.repo({ full, private: true, autoInit: true })
  await db.updateTable('githostMirror').set({ listedAt: null, begunAt: null }).execute()
  const projectId = await project(stage, org, full, { serverId, ...more })
  const push = (content: string = randomUUID(), file = {}) => host.do.push({ full, content, quiet: true, ...file })
  const tell = async (moved: { before: string; after: string }, guid?: string, more2: object = {}) =>
    send(world, app, pushBody(app, full, { repoId, ...moved, ...more2 }), guid === undefined ? {} : { guid })
  return { full, repoId, projectId, push, tell }
}

const deployments = (projectId: string) =>
  db.selectFrom('deployment').selectAll().where('projectId', '=', projectId).orderBy('id').execute()
const headOf = (repoId: number) =>
  db.selectFrom('githostHead').selectAll().where('repoId', '=', String(repoId)).executeTakeFirstOrThrow()
const listed = async (projectId: string) =>
  (await api('GET', `/api/githost/deliveries?projectId=${projectId}`)).body.data as Record<string, string>[]
/** As if two seconds had passed since: deployments wait, heads are due, deliveries are ripe. */
async function later(repoId: number, ms = 2100) {
  await db
    .updateTable('deployment')
    .set({ createdAt: new Date(Date.now() - ms) } as never)
    .execute()
  await db
    .updateTable('githostDelivery')
    .set({ receivedAt: new Date(Date.now() - ms) })
    .where('decidedAt', 'is', null)
    .execute()
  await db
    .updateTable('githostHead')
    .set({ dirtyAt: new Date(), askedAt: null })
    .where('repoId', '=', String(repoId))
    .where('dirtyAt', 'is not', null)
    .execute()
}

test('a push is deployed once, by whom and why is listed', async () => {
  const { projectId, push, tell, full, repoId } = await made()
  expect(await deployments(projectId)).toEqual([])
  expect((await headOf(repoId)).seq).toBe('1')
  const answer = await tell(await push())
  expect([answer.status, answer.body]).toEqual([202, { accepted: true }])
  host.do.requests()
  await settleAll(world)
  expect(host.do.requests()).toEqual([])
  const [deployment, ...others] = await deployments(projectId)
  expect(others).toEqual([])
  expect(deployment).toMatchObject({ trigger: 'push', createdBy: { kind: 'push', name: 'ada' }, status: 'queued' })
  const [delivery] = await listed(projectId)
  expect(delivery).toMatchObject({
    ...{
      repository: full,
      ref: 'refs/heads/main',
      via: 'delivery',
      decision: 'deployed',
      deploymentId: deployment?.id,
    },
    pusher: 'ada',
  })
  const shown = await api('GET', `/api/githost/deliveries/${delivery?.id}`)
  expect(shown.body).toEqual(delivery)
})

test('a captured delivery that comes again does nothing', async () => {
  const { projectId, push, tell } = await made()
  const moved = await push()
  const { guid } = await tell(moved)
  await settleAll(world)
  const again = await tell(moved, guid)
  expect([again.status, again.body]).toEqual([202, { duplicate: true }])
  // Under an id of its own it tells what is known.
  await tell(moved)
  await settleAll(world)
  expect(await deployments(projectId)).toHaveLength(1)
})

test('a redelivery is taken up where the first was stored and not decided', async () => {
  const { projectId, push, tell, repoId } = await made()
  const moved = await push()
  const { guid } = await tell(moved)
  // As a process leaves it that dies after storing.
  await db.updateTable('githostHead').set({ dirtyAt: null }).where('repoId', '=', String(repoId)).execute()
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  expect((await tell(moved, guid)).body).toEqual({ accepted: true })
  await settleAll(world)
  expect(await deployments(projectId)).toHaveLength(1)
})

test('a forced return to an older commit is deployed', async () => {
  const { projectId, push, tell, repoId } = await made()
  const first = await push()
  await tell(first)
  await settleAll(world)
  const second = await push()
  await tell(second)
  await later(repoId)
  await settleAll(world)
  await later(repoId)
  await tell({ before: second.after, after: first.after })
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(first.after)
  expect((await headOf(repoId)).seq).toBe('4')
  expect(await deployments(projectId)).toHaveLength(3)
})

test('pushes that come in the wrong order, or within two seconds, become one deployment that waits', async () => {
  const { projectId, push, tell, repoId } = await made()
  const moves = [await push(), await push(), await push()]
  for (const moved of moves.toReversed()) await tell(moved)
  await settleAll(world)
  const more = await push()
  await tell(more)
  await settleAll(world)
  expect(await deployments(projectId)).toHaveLength(1)
  expect((await listed(projectId)).map(({ decision }) => decision)).toEqual(['deployed', 'coalesced', 'coalesced'])
  await later(repoId)
  await settleAll(world)
  const all = await deployments(projectId)
  expect(all.map(({ status }) => status)).toEqual(['superseded', 'queued'])
  expect((await headOf(repoId)).sha).toBe(more.after)
})

test('a delivery with a gap before it makes the host be asked, and what it says is deployed', async () => {
  const { projectId, push, tell, repoId } = await made()
  await push()
  await push()
  const last = await push()
  await tell(last)
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  await later(repoId)
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(last.after)
  expect(await deployments(projectId)).toHaveLength(1)
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'deployed', attempts: 1 })
})

test('what a run finds moves the head, and its delivery is known then', async () => {
  const { projectId, push, tell, repoId } = await made()
  const moved = await push()
  const row = await db.selectFrom('project').selectAll().where('id', '=', projectId).executeTakeFirstOrThrow()
  const running = { project: row, deploymentId: 'dep_1', branch: null }
  await followRun(world.platform, running, async () => ({ commitSha: moved.after }))
  await settleAll(world)
  expect((await headOf(repoId)).sha).toBe(moved.after)
  await tell(moved)
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  const all = (await api('GET', '/api/githost/deliveries')).body.data.slice(0, 2)
  expect(all).toMatchObject([{ decision: 'known' }, { via: 'run', decision: 'deployed', deploymentId: 'dep_1' }])
})

test.each([
  ['auto-deploy is off', { settings: { autoDeploy: false } }, {}, 'auto-deploy is off'],
  ['the commit says so', {}, { message: 'Docs only [skip ci]' }, 'the commit says [skip ci]'],
])('a push is not deployed where %s', async (_, more, told, reason) => {
  const { projectId, push, tell } = await made(more)
  await tell(await push(), undefined, told)
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'skipped', reason })
})

test('after someone went back, a push waits for a person', async () => {
  const { projectId, push, tell } = await made()
  await db.updateTable('project').set({ autoDeployPaused: true }).where('id', '=', projectId).execute()
  await tell(await push())
  await settleAll(world)
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'skipped', reason: expect.stringContaining('paused') })
})

test('a push deploys nothing here of a project that is in the hosted cloud, and says so', async () => {
  const { projectId, push, tell } = await made()
  await db.updateTable('project').set({ target: 'cloud' }).where('id', '=', projectId).execute()
  await tell(await push())
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  const reason = expect.stringContaining('hosted cloud')
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'skipped', reason })
})

test('paths are compared with the commit last deployed: a push that was skipped hides nothing', async () => {
  const { projectId, push, tell, repoId } = await made({ settings: { watchPaths: ['api/**'] } })
  const first = await push('1', { path: 'api/main.ts' })
  await tell(first)
  await settleAll(world)
  const [deployment] = await deployments(projectId)
  const active = {
    active: true,
    status: 'ready' as const,
    source: JSON.stringify({ kind: 'git', commitSha: first.after }),
  }
  await db
    .updateTable('deployment')
    .set(active)
    .where('id', '=', deployment?.id ?? '')
    .execute()
  await tell(await push('2', { path: 'docs/x.md' }))
  await settleAll(world)
  expect((await listed(projectId))[0]).toMatchObject({
    decision: 'skipped',
    reason: expect.stringContaining('watched'),
  })
  // The lost one touches what is watched, the told one does not.
  await push('3', { path: 'api/main.ts' })
  await tell(await push('4', { path: 'docs/x.md' }))
  await later(repoId)
  await settleAll(world)
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'deployed' })
})

test('a replay decides from where the branch is now, and not from the old delivery', async () => {
  const { projectId, push, tell, repoId } = await made({ settings: { autoDeploy: false } })
  const moved = await push()
  await tell(moved)
  await settleAll(world)
  const [skipped] = await listed(projectId)
  const last = await push()
  await api('PATCH', `/api/projects/${projectId}`, { settings: { autoDeploy: true } })
  const answer = await api('POST', `/api/githost/deliveries/${skipped?.id}/replay`)
  expect([answer.status, answer.body.decision]).toEqual([200, 'coalesced'])
  expect((await headOf(repoId)).sha).toBe(last.after)
  expect(await deployments(projectId)).toMatchObject([{ id: answer.body.deploymentId }])
  const viewer = await world.person(org.id, 'viewer')
  expect((await viewer.api('POST', `/api/githost/deliveries/${skipped?.id}/replay`)).status).toBe(403)
})

test('a push to a fork is not a push to its origin', async () => {
  const { projectId, tell, full } = await made()
  const fork = await host.do.repo({ full: `acme/fork-of-${full.split('/')[1]}`, private: true, autoInit: true })
  const moved = await host.do.push({ full: `acme/fork-of-${full.split('/')[1]}`, content: randomUUID(), quiet: true })
  // Under the name of the origin, as a payload might say it: the number decides.
  await tell(moved, undefined, { repoId: fork.id })
  await settleAll(world)
  expect(await deployments(projectId)).toEqual([])
  const { data } = (await api('GET', '/api/githost/deliveries?limit=1')).body
  expect(data).toMatchObject([{ decision: 'ignored', reason: 'no project deploys this branch' }])
})

test('tags, pull requests, other branches and deleted branches are not deployed, and it is said why', async () => {
  const { projectId, push, tell } = await made()
  const moved = await push()
  const reasons = []
  for (const ref of ['refs/tags/v1', 'refs/pull/1/head', 'refs/heads/other']) {
    await tell(moved, undefined, { ref })
    await settleAll(world)
    const { data } = (await api('GET', '/api/githost/deliveries?limit=1')).body
    reasons.push([data[0].decision, data[0].reason])
  }
  expect(reasons).toEqual([
    ['ignored', 'not a branch'],
    ['ignored', 'pull requests are not deployed'],
    ['ignored', 'no project deploys this branch'],
  ])
  await tell({ before: moved.before, after: '0'.repeat(40) })
  await settleAll(world)
  expect((await listed(projectId))[0]).toMatchObject({ decision: 'ignored', reason: 'branch deleted' })
  expect(await deployments(projectId)).toEqual([])
})
