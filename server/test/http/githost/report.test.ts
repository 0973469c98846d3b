import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ask } from '../../../../lab/githost/ask.ts'
import { append } from '../../../src/core/deployments/events/events-store.ts'
import * as store from '../../../src/core/deployments/rows/store.ts'
import { sendReports } from '../../../src/core/githost/push/report.ts'
import { link, madeApp, project, pushBody, send, server, settleAll } from './push-stage.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
const stage = { host, world }
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const org = await world.org('Acme')
const app = await madeApp(stage, 'acme', org)
await link(stage, org, app)
const { id: repoId } = await host.do.repo({ full: 'acme/shop', private: true, autoInit: true })
const projectId = await project(stage, org, 'acme/shop', { serverId: await server(world, org) })
const { token } = host.do.token({ login: 'ada' })
const sendAll = () => sendReports(world.platform, AbortSignal.timeout(20_000))

async function deployment() {
  const moved = await host.do.push({ full: 'acme/shop', content: randomUUID(), quiet: true })
  await db
    .updateTable('deployment')
    .set({ createdAt: new Date(0) } as never)
    .execute()
  await send(world, app, pushBody(app, 'acme/shop', { repoId, ...moved }))
  await settleAll(world)
  const row = await db
    .selectFrom('deployment')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await store.update(db, row.id, { source: JSON.stringify({ ...row.source, commitSha: moved.after }) })
  const become = async (status: 'building' | 'deploying' | 'ready' | 'failed' | 'cancelled') => {
    await store.update(db, row.id, { status })
    await append(db, row.id, null, [{ type: 'status', at: new Date(), data: { status } }])
  }
  return { id: row.id, sha: moved.after, become }
}

// biome-ignore lint/suspicious/noExplicitAny: what a host answers
const get = async (path: string): Promise<any> => {
  const { text } = await ask(host, `https://${host.host}/api/v3${path}`, {
    headers: { authorization: `token ${token}` },
  })
  return JSON.parse(text)
}
const statuses = (sha: string) => get(`/repos/acme/shop/commits/${sha}/statuses`)
const states = async (sha: string) => (await statuses(sha)).map(({ state }: { state: string }) => state)

test('the commit gets its green tick, and the deployment before it is ended', async () => {
  const first = await deployment()
  expect(await sendAll()).toBe(0)
  await first.become('building')
  await sendAll()
  await first.become('ready')
  await sendAll()
  expect(await states(first.sha)).toEqual(['success', 'pending'])
  const [status] = await statuses(first.sha)
  expect(status).toMatchObject({ context: expect.stringMatching(/^slipway\/shop-/), description: 'Deployed' })
  expect(status.target_url).toBe(`https://slipway.example.com/deployments/${first.id}`)
  const second = await deployment()
  await second.become('building')
  await second.become('ready')
  await sendAll()
  // Newest wins: nobody saw it building.
  expect(await states(second.sha)).toEqual(['success'])
  const [newer, older] = await get('/repos/acme/shop/deployments')
  expect((await get(`/repos/acme/shop/deployments/${newer.id}/statuses`))[0].state).toBe('success')
  expect((await get(`/repos/acme/shop/deployments/${older.id}/statuses`))[0].state).toBe('inactive')
})

test('the tick of a cancelled deployment says who cancelled it', async () => {
  const { become, sha, id } = await deployment()
  const { name } = await db
    .selectFrom('person')
    .select('name')
    .where('id', '=', org.owner.userId)
    .executeTakeFirstOrThrow()
  expect((await org.owner.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(202)
  await become('cancelled')
  await sendAll()
  expect(await statuses(sha)).toMatchObject([{ state: 'error', description: `Cancelled by ${name}` }])
})

test('a host that is away is told later, and the deployment does not notice', async () => {
  const { become, sha, id } = await deployment()
  await become('failed')
  host.do.faults({ outage: true })
  await sendAll()
  host.do.faults({ outage: false })
  const row = await db.selectFrom('githostReport').selectAll().where('deploymentId', '=', id).executeTakeFirstOrThrow()
  expect([row.sentState, row.attempts]).toEqual([null, 1])
  expect(row.sendAt?.getTime()).toBeGreaterThan(Date.now())
  await db.updateTable('githostReport').set({ sendAt: new Date() }).where('deploymentId', '=', id).execute()
  await sendAll()
  expect(await states(sha)).toEqual(['failure'])
})

test('a project that wants no reports sends none', async () => {
  await org.owner.api('PATCH', `/api/projects/${projectId}`, { settings: { reportStatus: false } })
  const { become, sha } = await deployment()
  await become('ready')
  expect(await sendAll()).toBe(0)
  expect(await states(sha)).toEqual([])
})
