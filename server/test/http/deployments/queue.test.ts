import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const world = await startWorld({ dnsServers: ['127.0.0.1:9'] })
const { db } = world.platform

/** A project where nobody works: what is begun stays where it is. */
async function stage() {
  const org = await world.org()
  const { api } = org.owner
  await api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })
  const projectId = (await api('POST', '/api/projects', { name: 'shop' })).body.id
  const deploy = async (): Promise<string> =>
    (await api('POST', '/api/deployments/build/access', { projectId, image: 'nginx:1', buildStrategy: 'image' })).body
      .deployment_id
  const queueOf = async (id: string) => (await api('GET', `/api/deployments/${id}`)).body.queue
  const set = async (id: string, status: string) => {
    await sql`update run set status = ${status} where id = ${id}`.execute(db)
    await db.updateTable('deployment').set({ status: 'building' }).where('id', '=', id).execute()
  }
  return { api, projectId, deploy, queueOf, set }
}

test('the first of a project waits for nothing of it, and one that has begun is in no queue', async () => {
  const { deploy, queueOf, set } = await stage()
  const first = await deploy()
  expect(await queueOf(first)).toEqual({ position: 1, ahead: [] })
  await set(first, 'running')
  expect(await queueOf(first)).toBeNull()
})

test.each(['running', 'parked'])(
  'one behind a deployment that is %s says which, and counts what else goes first',
  async (how) => {
    const { api, projectId, deploy, queueOf, set } = await stage()
    const first = await deploy()
    await set(first, how)
    const second = await deploy()
    expect(await queueOf(second)).toEqual({ position: 2, ahead: [{ id: first, number: 1 }] })
    // Leading a name elsewhere is a run of the project, too, and newer source does not take its place.
    await api('POST', `/api/projects/${projectId}/domains`, { host: `${how}.example.com` })
    const third = await deploy()
    expect(await queueOf(third)).toEqual({ position: 3, ahead: [{ id: first, number: 1 }] })
    expect(await queueOf(second)).toBeNull()
  },
)

test('nothing of other projects or organizations is told', async () => {
  const [busy, other] = [await stage(), await stage()]
  await busy.set(await busy.deploy(), 'running')
  await busy.deploy()
  expect(await other.queueOf(await other.deploy())).toEqual({ position: 1, ahead: [] })
})
