import { expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { limited } from '../http/limits/stage.ts'

const MIB = 1024 ** 2
const site = await startSite('memory', limited({ memoryBytes: 100 * MIB }))

async function deploy(name: string, memoryMb: number) {
  const projectId = await site.project(name)
  const services = [{ name: 'web', memoryMb, command: 'httpd -f -p 8080', port: 8080 }]
  const body = { projectId, image: 'busybox:1', services }
  const started = await site.api('POST', '/api/deployments/build/access', body)
  expect(started.status, started.text).toBeLessThan(300)
  return { projectId, seen: await site.ended(started.body.deployment_id) }
}

test('a release that asks for more memory than the organization has left fails with that reason, and nothing of it runs', async () => {
  const { seen: first } = await deploy('fits', 64)
  expect(first, JSON.stringify(first.error)).toMatchObject({ status: 'ready', active: true })
  const { projectId, seen: second } = await deploy('does not fit', 64)
  expect(second).toMatchObject({ status: 'failed', active: false, error: { code: 'limit_reached' } })
  expect(second.error?.message).toContain('64 MiB of the 100 MiB of memory')
  expect(second.error?.hint).toContain('Lower memoryMb')
  const filters = { label: [`slipway.project=${projectId}`] }
  expect(await engineAt(labPart('engine').socket).listServices({ filters })).toEqual([])
}, 120_000)
