import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { until } from '../../../test-kit/until.ts'
import { compareServer, compareServers } from '../../src/core/deployments/converge/compare.ts'
import { releaseOf } from '../../src/core/deployments/rows/release.ts'
import * as store from '../../src/core/deployments/rows/store.ts'
import * as servers from '../../src/core/servers/store.ts'
import { newId } from '../../src/db/ids.ts'
import { connectEngine } from '../../src/drivers/engine/connect.ts'
import { serviceName } from '../../src/drivers/runtime/labels.ts'

const site = await startSite('drift')
const { platform, config } = site.world
const engine = { kind: 'local' as const, socketPath: labPart('engine').socket }
const signal = AbortSignal.timeout(600_000)
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 30_000 })
afterAll(close)

const serving = (folder: string) => [{ name: 'web', command: ['httpd', '-f', '-p', '8080', '-h', folder], port: 8080 }]
async function deploy(projectId: string, folder: string): Promise<string> {
  const body = { projectId, image: 'busybox:1', services: serving(folder) }
  const { body: made } = await site.api('POST', '/api/deployments/build/access', body)
  expect((await site.ended(made.deployment_id)).status).toBe('ready')
  return made.deployment_id
}
const compare = async () => {
  const [server] = await servers.firstTwo(platform.db, site.org.id)
  if (!server) throw new Error('no server')
  return compareServer(platform, server, signal)
}
const running = async (project: string) => {
  const [seen] = await platform.runtime.observe(engine, project, { signal })
  return seen?.deployment ?? null
}
/** The watch after going live may still be at it. */
const quiet = (project: string) =>
  until('nothing is under way', 60_000, async () => {
    const text = `select 1 from run where lane = $1 and status in ('queued', 'running', 'parked')`
    return (await platform.pool.query(text, [project])).rowCount === 0 ? true : undefined
  })

test('an engine that lost a service, or went back to an older release, is brought to what is written down', async () => {
  const [gone, old, well] = await Promise.all(['gone', 'old', 'well'].map((name) => site.project(name)))
  if (!gone || !old || !well) throw new Error('no projects')
  const [keptId, firstId] = await Promise.all([deploy(gone, '/etc'), deploy(old, '/etc'), deploy(well, '/etc')])
  const newId = await deploy(old, '/bin')
  for (const project of [gone, old, well]) await quiet(project)
  expect(await compare()).toEqual([])

  // As after the disk of the server was put back to an older snapshot.
  const name = serviceName(config.instance, { project: gone, service: 'web' })
  await docker.getService(name).remove()
  const first = await store.load(platform.db, site.org.id, firstId)
  const [spec] = releaseOf(platform, first).services
  if (!spec) throw new Error('no spec')
  await platform.runtime.apply(engine, spec, { signal, interrupt: true })
  expect((await compare()).toSorted()).toEqual([gone, old].toSorted())

  await until('both are put right', 120_000, async () =>
    (await running(gone)) === keptId && (await running(old)) === newId ? true : undefined,
  )
  for (const project of [gone, old]) await quiet(project)
  // What an engine still stops is looked at again a minute later.
  await until('nothing is left to settle', 120_000, async () => {
    const { rowCount } = await platform.pool.query('select 1 from deployment where settle_after is not null')
    return rowCount === 0 ? true : undefined
  })
  expect(await compare()).toEqual([])
}, 500_000)

test('what runs of a project that has no release any more is noticed; what is under way is left alone', async () => {
  const project = await site.project('stray')
  const id = await deploy(project, '/etc')
  await quiet(project)
  // As a database says it that was restored to a moment before its first release.
  await platform.pool.query('update deployment set active = false, routed = false where id = $1', [id])
  const run = `insert into run (id, lane, kind, org_id, input) values ('run_x', $1, 'elsewhere', $2, '{}')`
  await platform.pool.query(run, [project, site.org.id])
  expect(await compare()).not.toContain(project)
  await platform.pool.query(`delete from run where id = 'run_x'`)
  expect(await compare()).toContain(project)
  await until('it is gone', 120_000, async () => ((await running(project)) === null ? true : undefined))
}, 200_000)

test('a job of a deployment that came to nothing does not go on under the name of one of the active release', async () => {
  const project = await site.project('job')
  const httpd =
    '{image: busybox:1, command: ["httpd", "-f", "-p", "8080"], expose: ["8080"], depends_on: {setup: {condition: service_completed_successfully}}}'
  const file = `services:\n  setup: {image: busybox:1, command: ["true"]}\n  web: ${httpd}\n`
  const id = await site.start(project, { 'compose.yaml': file })
  expect((await site.ended(id)).status).toBe('ready')
  await quiet(project)
  const active = await store.load(platform.db, site.org.id, id)
  const job = releaseOf(platform, active).services.find((spec) => spec.job)
  if (!job) throw new Error('no job')
  const left = { ...job, deployment: newId('dep'), command: ['sleep', '600'] }
  await platform.runtime.apply(engine, left, { signal, interrupt: true })
  const there = async () => (await platform.runtime.observe(engine, project, { signal })).map((one) => one.deployment)
  expect(await there()).toContain(left.deployment)
  await platform.pool.query('update deployment set settle_after = now() where id = $1', [id])
  await until('it is gone', 120_000, async () => ((await there()).includes(left.deployment) ? undefined : true))
  expect(await there()).toContain(id)
}, 240_000)

test('a deployment that changed hands has its server compared within minutes of its end', async () => {
  const project = await site.project('hands')
  await platform.pool.query(`update server set compare_at = now() + interval '1 hour'`)
  const body = { projectId: project, image: 'busybox:1', services: serving('/etc') }
  const { body: made } = await site.api('POST', '/api/deployments/build/access', body)
  await site.until(made.deployment_id, ({ status }) => status === 'deploying')
  await platform.pool.query('update run set fence = fence + 1 where id = $1', [made.deployment_id])
  expect((await site.ended(made.deployment_id)).status).toBe('ready')
  const { rows } = await platform.pool.query(`select compare_at < now() + interval '6 minutes' as soon from server`)
  expect(rows).toEqual([{ soon: true }])
}, 120_000)

test('a comparison that is broken off is done by the next, not an hour later; one that was done is not repeated', async () => {
  const due = async () => {
    const { rows } = await platform.pool.query('select compare_at <= now() as due from server')
    return rows
  }
  await platform.pool.query('update server set compare_at = now()')
  await compareServers(platform, AbortSignal.abort())
  expect(await due()).toEqual([{ due: true }])
  await compareServers(platform, signal)
  expect(await due()).toEqual([{ due: false }])
})
