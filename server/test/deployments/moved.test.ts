import { expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { until } from '../../../test-kit/until.ts'
import { compareServer } from '../../src/core/deployments/converge/compare.ts'
import { settleDue } from '../../src/core/deployments/converge/settle-due.ts'
import * as servers from '../../src/core/servers/store.ts'

const site = await startSite('moved')
const { platform } = site.world
const engine = { kind: 'local' as const, socketPath: labPart('engine').socket }
const signal = AbortSignal.timeout(600_000)

const web = (command: string[]) => [{ name: 'web', command, port: 8080 }]
const GOOD = web(['httpd', '-f', '-p', '8080', '-h', '/etc'])

async function deploy(projectId: string, services = GOOD) {
  const body = { projectId, image: 'busybox:1', services }
  const { body: made } = await site.api('POST', '/api/deployments/build/access', body)
  return site.ended(made.deployment_id)
}
const redeploy = async (id: string) =>
  site.ended((await site.api('POST', `/api/deployments/${id}/redeploy`, {})).body.deployment_id)
const show = async (id: string) => (await site.api('GET', `/api/deployments/${id}`)).body
const serverOf = async () => {
  const [server] = await servers.firstTwo(platform.db, site.org.id)
  if (!server) throw new Error('no server')
  return server
}
const compare = async () => compareServer(platform, await serverOf(), signal)
const there = async (project: string) =>
  (await platform.runtime.observe(engine, project, { signal })).map(({ service }) => service)
const quiet = (project: string) =>
  until('nothing is under way', 60_000, async () => {
    const text = `select 1 from run where lane = $1 and status in ('queued', 'running', 'parked')`
    return (await platform.pool.query(text, [project])).rowCount === 0 ? true : undefined
  })

/** As after a restore on another machine: the database knows the engine of the old one, and this one has nothing. */
async function move(projects: string[]): Promise<string | null> {
  const { engineId } = await serverOf()
  // Names first: a gateway that is mended would hold the networks.
  await platform.pool.query(`update deployment set engine_id = 'elsewhere'`)
  for (const project of projects) await platform.runtime.withdraw(engine, project, { signal, atOnce: true })
  await platform.runtime.owner.release(engine, site.org.id, { signal })
  await platform.pool.query(`update server set engine_id = 'elsewhere'`)
  return engineId
}

test('what another engine ran is told as unknown and left alone, until it is deployed on this one', async () => {
  const [one, two] = [await site.project('one'), await site.project('two')]
  const [first, second] = [await deploy(one), await deploy(two)]
  expect(await show(first.id)).toMatchObject({ status: 'ready', unknown: null, services: [{ status: 'healthy' }] })
  for (const project of [one, two]) await quiet(project)
  const engineId = await move([one, two])

  // The next comparison notices it, and claims nothing.
  expect(await compare()).toEqual([])
  expect(await compare()).toEqual([])
  expect((await serverOf()).engineId).toBe(engineId)
  expect(await platform.runtime.owner.read(engine, { signal })).toMatchObject({ org: null })
  const unknown = {
    status: 'ready',
    active: true,
    unknown: { reason: expect.stringContaining('never run it'), hint: expect.stringContaining('Redeploy') },
    services: [{ name: 'web', status: 'unknown' }],
    actions: {
      restart: { allowed: false, reason: expect.stringContaining('never run it') },
      redeploy: { allowed: true },
    },
  }
  for (const { id } of [first, second]) expect(await show(id)).toMatchObject(unknown)
  const { data } = (await site.api('GET', `/api/deployments?projectId=${one}`)).body
  expect(data).toMatchObject([unknown])
  const restart = await site.api('POST', `/api/deployments/${first.id}/restart`)
  expect([restart.status, restart.body.code]).toEqual([400, 'not_now'])

  // Deploying one makes that one known, and the engine ours; the other is not put right, only its own people know.
  const again = await redeploy(first.id)
  expect(await show(again.id)).toMatchObject({ status: 'ready', active: true, unknown: null })
  expect((await site.ask('one.moved.test', '/hostname')).status).toBe(200)
  expect(await show(first.id)).toMatchObject({ active: false, unknown: null, services: [{ status: 'healthy' }] })
  await quiet(one)
  expect(await compare()).toEqual([])
  await platform.pool.query('update deployment set settle_after = now() where id = $1', [second.id])
  await settleDue(platform)
  await quiet(two)
  expect(await there(two)).toEqual([])
  expect(await show(second.id)).toMatchObject(unknown)

  // One that fails is gone, not back on something that never was here.
  const failed = await deploy(two, web(['false']))
  expect(failed).toMatchObject({ status: 'failed', services: [{ status: 'removed' }] })
  await quiet(two)
  expect(await there(two)).toEqual([])
  expect(await show(second.id)).toMatchObject(unknown)
  expect(await show((await deploy(two)).id)).toMatchObject({ status: 'ready', active: true, unknown: null })
  expect((await site.ask('two.moved.test', '/hostname')).status).toBe(200)
}, 400_000)
