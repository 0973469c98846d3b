import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import {
  answers,
  appSpec,
  ask as askAt,
  edgeBench,
  openProject,
  routeTo,
  servicesGone,
} from '../../../../../test-kit/edge.ts'
import { caddyEdge } from '../caddy.ts'
import type { EdgeEngine } from '../edge.ts'

const bench = edgeBench(labPart('caddy').image)
const { name, settings } = bench
const { address, socket: socketPath } = labPart('engine')
// The version that both sides speak, as the product's own connection has it.
const docker = new Docker({ socketPath, version: 'v1.45' })
const at = { address, port: settings.httpPort }
const engine: EdgeEngine<null> = {
  connect: async () => ({ docker, explain: async (error) => error, close: () => {} }),
}
const edge = caddyEdge(engine, { name })
const to = (host: string) => routeTo(bench, host)

beforeAll(async () => {
  await edge.ensure(null, settings)
  await openProject(docker, edge, bench)
  await docker.createService(appSpec(bench, 'web', 'web', 1))
})
afterAll(async () => {
  await servicesGone(docker, bench)
  await edge.remove(null)
})

const ASKED = { 'slipway-service': 'api', 'slipway-port': '9', 'slipway-also': '8080' }

test('a gateway asks for what the edge says, whatever a visitor says, and shows none of it', async () => {
  await edge.reconcile(null, [to('said.test')])
  const forwarded = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'else.test' }
  const question = { host: 'said.test', path: '/headers', headers: { ...ASKED, ...forwarded } }
  const { json } = await answers({ ...at, ...question })
  expect(json.version).toBe('web')
  const headers = json.headers as unknown as Record<string, string>
  expect(Object.keys(headers).filter((name) => name.startsWith('slipway-'))).toEqual([])
  // Of the visitor, once: the second proxy is nobody's business.
  expect(headers['x-forwarded-for']).toMatch(/^[\d.]+$/)
  expect(headers).toMatchObject({ 'x-forwarded-proto': 'http', 'x-forwarded-host': 'said.test', host: 'said.test' })
})

test('a gateway that somebody removed is made again, and what cannot be had is said', async () => {
  const gateway = { project: bench.project, org: 'org_e', network: `${name}-project` }
  expect(await edge.gateways.mend(null, [gateway], settings)).toEqual({ changed: 0, failed: [] })
  await docker.getService(`${name}-${bench.project}`).remove()
  const lost = { project: 'prj_lost', org: 'org_e', network: 'prj-lost-network' }
  const done = await edge.gateways.mend(null, [gateway, lost], settings)
  expect(done).toEqual({ changed: 1, failed: [expect.stringContaining('prj_lost')] })
  await edge.reconcile(null, [to('again.test')])
  await answers({ ...at, host: 'again.test' })
})

test('a gateway is started by the id of its image, so that no registry is asked for it', async () => {
  const service = await docker.getService(`${name}-${bench.project}`).inspect()
  const { Id } = await docker.getImage(settings.image).inspect()
  expect(service.Spec.TaskTemplate.ContainerSpec.Image).toBe(Id)
})

test('a gateway is looked at often while it starts and seldom after that: each look is a process', async () => {
  const service = await docker.getService(`${name}-${bench.project}`).inspect()
  const { Interval, StartInterval, StartPeriod } = service.Spec.TaskTemplate.ContainerSpec.Healthcheck
  expect([Interval, StartInterval, StartPeriod].map((ns) => ns / 1e9)).toEqual([30, 0.5, 60])
})

test('a gateway shares no network with the edge, and opens no port', async () => {
  const filters = { label: ['slipway.role=gateway', `slipway.project=${bench.project}`], status: ['running'] }
  const [found] = await docker.listContainers({ filters })
  expect(Object.keys(found?.NetworkSettings.Networks ?? {})).toEqual([`${name}-project`])
  const own = Object.values(found?.NetworkSettings.Networks ?? {})[0]?.IPAddress
  await edge.reconcile(null, [to('ready.test')])
  await answers({ ...at, host: 'ready.test' })
  const doors = [80, 443, 2019, 9080].map(async (door) => {
    const answer = await askAt({ ...at, host: 'ready.test', path: `/connect?host=${own}&port=${door}` })
    return answer.json.result
  })
  expect(await Promise.all(doors)).toEqual(Array(4).fill('ECONNREFUSED'))
})
