import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { until } from '../../../test-kit/until.ts'
import { compareServer } from '../../src/core/deployments/converge/compare.ts'
import { collectGarbage } from '../../src/core/deployments/converge/garbage.ts'
import { settleDue } from '../../src/core/deployments/converge/settle-due.ts'
import type { DeployParts } from '../../src/core/deployments/parts.ts'
import { mendEdges } from '../../src/core/deployments/routes/edges.ts'
import * as servers from '../../src/core/servers/store.ts'
import { newId } from '../../src/db/ids.ts'

const site = await startSite('copies')
const { platform } = site.world
const engine = { kind: 'local' as const, socketPath: labPart('engine').socket }
const signal = AbortSignal.timeout(300_000)
afterAll(async () => {
  await platform.runtime.owner.seize(engine, site.org.id, { signal })
})

const serverOf = async () => {
  const [server] = await servers.firstTwo(platform.db, site.org.id)
  if (!server) throw new Error('no server')
  return server
}

// The same process tells what the original and what a copy does: an instance is its id.
test('a copy with an id of its own mends, settles and collects nothing on the servers of the original', async () => {
  const project = await site.project('app')
  const web = { name: 'web', command: ['httpd', '-f', '-p', '8080', '-h', '/etc'], port: 8080 }
  const { body } = await site.api('POST', '/api/deployments/build/access', {
    projectId: project,
    image: 'busybox:1',
    services: [web],
  })
  expect((await site.ended(body.deployment_id)).status).toBe('ready')
  const server = await serverOf()
  // The mark is the original's, and this is the copy.
  const foreign = newId('ins')
  await markAs(foreign)

  const check = (await site.api('POST', `/api/servers/${server.id}/check`)).body.report
  const said = check.checks.find(({ name }: { name: string }) => name === 'organization')
  expect(said).toMatchObject({ state: 'failed', found: `serves another instance of Slipway, ${foreign}` })

  await platform.pool.query('update deployment set active = false, routed = false')
  expect(await compareServer(platform, server, signal)).toEqual([])
  await platform.pool.query(`update deployment set active = true, routed = true, routes = '[]' where id = $1`, [
    body.deployment_id,
  ])
  await mendEdges(platform, signal)
  const seen = await platform.runtime.observe(engine, project, { signal })
  expect(seen).toMatchObject([{ service: 'web', deployment: body.deployment_id }])
  expect((await site.ask('app.copies.test', '/hostname')).status).toBe(200)
  // Nor is it said to be settled: nobody has looked.
  await platform.pool.query('update deployment set settle_after = now() where id = $1', [body.deployment_id])
  await settleDue(platform)
  await until('the settle run has ended', 60_000, async () => {
    const text = `select 1 from run where lane = $1 and kind = 'settle' and status = 'failed'`
    return (await platform.pool.query(text, [project])).rowCount === 1 ? true : undefined
  })
  const { rows } = await platform.pool.query('select settle_after > now() as later from deployment where id = $1', [
    body.deployment_id,
  ])
  expect(rows).toEqual([{ later: true }])
  // What is refused is refused in words that a person can act on.
  const again = await site.api('POST', '/api/deployments/build/access', { projectId: project, image: 'busybox:1' })
  await expect.poll(async () => (await site.show(again.body.deployment_id)).status, { timeout: 60_000 }).toBe('failed')
  expect((await site.show(again.body.deployment_id)).error).toMatchObject({
    code: 'engine_taken',
    hint: expect.stringContaining('admin instance adopt --server'),
  })
  await collectGarbage(
    { ...platform, edgeNetwork: { name: 'none', alias: () => '' } } as unknown as DeployParts,
    signal,
  )
  expect(await platform.runtime.observe(engine, project, { signal })).toHaveLength(1)
}, 200_000)

async function markAs(id: string): Promise<void> {
  const { swarmRuntime } = await import('../../src/drivers/runtime/swarm.ts')
  const other = swarmRuntime({ instance: site.world.config.instance, id: async () => id })
  await other.owner.seize(engine, site.org.id, { signal })
  other.close()
}
