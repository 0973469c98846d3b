import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import {
  answers,
  appSpec,
  ask as askAt,
  containerOf,
  edgeBench,
  openProject,
  routeTo,
  servicesGone,
} from '../../../../test-kit/edge.ts'
import { until } from '../../../../test-kit/until.ts'
import { list, upload } from './archive.ts'
import { caddyEdge } from './caddy.ts'
import type { EdgeEngine, EdgeRoute } from './edge.ts'
import { nameFor } from './route-file.ts'

const bench = edgeBench(labPart('caddy').image)
const { name, settings } = bench
const { address, socket: socketPath } = labPart('engine')
const docker = new Docker({ socketPath })
const at = { address, port: settings.httpPort }
const never = new AbortController().signal

const engine: EdgeEngine<null> = {
  connect: async () => ({ docker, explain: async (error) => error, close: () => {} }),
}
const edge = caddyEdge(engine, { name })

const to = (host: string, service?: string, pathPrefix?: string) => routeTo(bench, host, service, pathPrefix)
const ask = (question: Omit<Parameters<typeof askAt>[0], 'address' | 'port'>) => askAt({ ...at, ...question })
const container = () => containerOf(docker, name)

async function inEdge(...Cmd: string[]): Promise<void> {
  const exec = await (await container()).exec({ Cmd })
  await exec.start({ Detach: true })
  await until('the command ends', 30_000, async () => !(await exec.inspect()).Running)
}

const byPlace = (a: EdgeRoute, b: EdgeRoute) => (a.host + a.pathPrefix < b.host + b.pathPrefix ? -1 : 1)

let created: string[]
beforeAll(async () => {
  created = await Promise.all([edge.ensure(null, settings), edge.ensure(null, settings)])
  await openProject(docker, edge, bench)
  await Promise.all([
    docker.createService(appSpec(bench, 'web', 'web', 2)),
    docker.createService(appSpec(bench, 'api', 'api', 1)),
  ])
  await edge.reconcile(null, [to('ready.test'), to('ready-api.test', 'api')])
  await Promise.all([answers({ ...at, host: 'ready.test' }), answers({ ...at, host: 'ready-api.test' })])
})
afterAll(async () => {
  await servicesGone(docker, bench)
  await edge.remove(null)
})

describe('an edge', () => {
  test('is made once when two callers meet, and stays as it is for the next', async () => {
    expect(created.toSorted()).toEqual(['created', 'unchanged'])
    const before = (await container()).id
    expect(await edge.ensure(null, settings)).toBe('unchanged')
    expect((await container()).id).toBe(before)
  })

  test('of another Slipway is left alone', async () => {
    const foreign = edge.ensure(null, { ...settings, instance: 'someone-else' })
    await expect(foreign).rejects.toMatchObject({ code: 'edge_foreign' })
  })

  test('that is not there is named as missing', async () => {
    const absent = caddyEdge(engine, { name: `${name}-absent` })
    await expect(absent.state(null)).rejects.toMatchObject({ code: 'edge_missing' })
    await expect(absent.reconcile(null, [])).rejects.toMatchObject({ code: 'edge_missing' })
  })

  test('whose ports are taken says so', async () => {
    const second = caddyEdge(engine, { name: `${name}-second`, pendingMs: 1000 })
    const failed = second.ensure(null, settings)
    await expect(failed).rejects.toMatchObject({ code: 'edge_not_started', message: expect.stringMatching(/port/) })
    await second.remove(null)
  })

  test('keeps its admin endpoint to itself', async () => {
    const { NetworkSettings } = await (await container()).inspect()
    const networks = Object.keys(NetworkSettings.Networks)
    expect(networks).toEqual([`${name}-bridge`])
    const { Containers } = await docker.getNetwork(`${name}-bridge`).inspect()
    expect(Object.keys(Containers ?? {})).toEqual([(await container()).id])
    // Of the services' network it is not a part: they have no way to its address.
    const own = NetworkSettings.Networks[networks[0] ?? '']?.IPAddress
    const doors = [80, 2019, 9080].map(async (door) => {
      const answer = await ask({ host: 'ready.test', path: `/connect?host=${own}&port=${door}` })
      return answer.json.result
    })
    expect(await Promise.all(doors)).toEqual(['ENETUNREACH', 'ENETUNREACH', 'ENETUNREACH'])
  })
})

describe('routes', () => {
  test('appear, change and go at once, without a configuration load', async () => {
    const { id } = await container()
    const live = async (wanted: EdgeRoute[], status: number, version?: string) => {
      const counts = await edge.reconcile(null, wanted)
      const answer = await ask({ host: 'new.test' })
      expect([answer.status, answer.json.version]).toEqual([status, version])
      return counts
    }
    await edge.reconcile(null, [])
    expect((await ask({ host: 'new.test' })).status).toBe(404)
    expect(await live([to('new.test')], 200, 'web')).toEqual({ written: 1, removed: 0 })
    expect(await live([to('new.test')], 200, 'web')).toEqual({ written: 0, removed: 0 })
    expect(await live([to('new.test', 'api')], 200, 'api')).toEqual({ written: 1, removed: 0 })
    expect(await live([], 404)).toEqual({ written: 0, removed: 1 })
    expect(await live([to('new.test')], 200, 'web')).toEqual({ written: 1, removed: 0 })
    expect((await container()).id).toBe(id)
    const log = String(await (await container()).logs({ stdout: true, stderr: true }))
    expect(log.match(/serving initial configuration/g)).toHaveLength(1)
    expect(log).not.toContain('load complete')
  })

  test('are those of the last call, even if its clock is slow', async () => {
    await edge.reconcile(null, [to('clock.test')])
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000)
    await edge.reconcile(null, [to('clock.test', 'api')])
    vi.restoreAllMocks()
    expect((await ask({ host: 'clock.test' })).json.version).toBe('api')
    expect(await edge.state(null)).toEqual([to('clock.test', 'api')])
  })

  test('of other hosts do not exist, and case and a final dot make no other host', async () => {
    await edge.reconcile(null, [to('known.test')])
    for (const host of ['unknown.test', 'x.known.test', '*.test', '..', address]) {
      expect(await ask({ host })).toMatchObject({ status: 404, body: 'no such site\n' })
    }
    for (const host of ['Known.TEST', 'known.test.', `known.test:${settings.httpPort}`]) {
      expect(await ask({ host })).toMatchObject({ status: 200, json: { version: 'web' } })
    }
  })

  test('may differ below a path, the longest prefix wins and a removed one falls back', async () => {
    const wanted = [to('p.test'), to('p.test', 'api', '/api'), to('p.test', 'web', '/api/v1/web'), to('q.test', 'api')]
    expect(await edge.reconcile(null, wanted)).toMatchObject({ written: 4 })
    const serves = async (path: string) => (await ask({ host: 'p.test', path })).json
    expect(await serves('/api/users?x=1')).toEqual({ version: 'api', path: '/api/users?x=1', host: 'p.test' })
    for (const path of ['/api', '/api/', '/api/v1', '/api/v1/webs', '/api%2fv1']) {
      expect(await serves(path)).toMatchObject({ version: 'api' })
    }
    for (const path of ['/', '/apix', '/x/api', '/api/v1/web', '/api/v1/web/x', '/API', '/%00', '/*/x']) {
      expect(await serves(path)).toMatchObject({ version: 'web' })
    }
    // These must not find the routes of another host.
    for (const path of ['/../../q.test/x', '/%2e%2e/q.test', '/api/../../../q.test/1']) {
      expect(await serves(path)).toMatchObject({ version: 'web', host: 'p.test' })
    }
    expect((await edge.state(null)).toSorted(byPlace)).toEqual(wanted.toSorted(byPlace))
    expect(await edge.reconcile(null, wanted.slice(0, 1))).toEqual({ written: 0, removed: 3 })
    expect(await serves('/api/users')).toMatchObject({ version: 'web' })
    expect(await edge.reconcile(null, [to('p.test', 'api', '/api')])).toEqual({ written: 1, removed: 1 })
    expect((await ask({ host: 'p.test', path: '/other' })).status).toBe(404)
  })

  test('of a wildcard are for names right below that have none of their own, whatever the path', async () => {
    await edge.reconcile(null, [
      routeTo(bench, '*.wild.test'),
      routeTo(bench, '*.wild.test', 'api', '/api'),
      routeTo(bench, 'own.wild.test', 'api'),
    ])
    const version = async (host: string, path: string) => (await answers({ ...at, host, path })).json.version
    const [web, api] = [await version('any.wild.test', '/x'), await version('own.wild.test', '/x')]
    expect(web).not.toBe(api)
    expect(await version('any.wild.test', '/api/x')).toBe(api)
    expect(await version('own.wild.test', '/api/x')).toBe(api)
    expect((await ask({ ...at, host: 'a.b.wild.test' })).status).toBe(404)
    expect((await ask({ ...at, host: 'wild.test' })).status).toBe(404)
  })

  test('may send visitors to the same path of another host', async () => {
    const sent = (https: boolean) => ({ ...routeTo(bench, 'www.pair.test'), redirectTo: { host: 'pair.test', https } })
    await edge.reconcile(null, [sent(false), routeTo(bench, 'pair.test')])
    const plain = await answers({ ...at, host: 'www.pair.test', path: '/a?b=c' }, 308)
    expect(plain.location).toBe(`http://pair.test:${settings.httpPort}/a?b=c`)
    await edge.reconcile(null, [sent(true), routeTo(bench, 'pair.test')])
    const safe = await ask({ ...at, host: 'www.pair.test', path: '/a?b=c' })
    expect([safe.status, safe.location]).toEqual([308, `https://pair.test:${settings.httpsPort}/a?b=c`])
  })

  test('come out whole when callers meet', async () => {
    const wanted = Array.from({ length: 50 }, (_, index) => to(`h${index}.test`))
    await Promise.all([1, 2, 3].map(() => edge.reconcile(null, wanted)))
    expect(await edge.state(null)).toHaveLength(50)
    expect(await edge.reconcile(null, wanted)).toEqual({ written: 0, removed: 0 })
    const others = [to('h0.test', 'api')]
    await Promise.allSettled([edge.reconcile(null, others), edge.reconcile(null, wanted)])
    await edge.reconcile(null, others)
    expect(await edge.state(null)).toEqual(others)
  })

  test('of one project change without a look at the others, however many do so at once', async () => {
    const of = (project: string, host: string) => ({ ...to(host), project })
    const projects = Array.from({ length: 12 }, (_, n) => `prj_${n}`)
    await edge.reconcile(null, [to('stays.test')])
    await Promise.all(
      projects.map((project) => edge.route(null, project, [of(project, `${project.slice(4)}.many.test`)])),
    )
    expect(await edge.state(null)).toHaveLength(13)
    expect(await edge.route(null, 'prj_3', [])).toEqual({ written: 0, removed: 1 })
    // A name that went over to another project is taken from the one that had it.
    expect(await edge.route(null, 'prj_4', [of('prj_4', '4.many.test'), of('prj_4', '5.many.test')])).toEqual({
      written: 1,
      removed: 0,
    })
    const asked: string[] = []
    const wanted = async () => {
      asked.push('now')
      return [to('stays.test')]
    }
    expect(await edge.reconcile(null, wanted)).toEqual({ written: 0, removed: 11 })
    expect(asked.length).toBeGreaterThan(0)
  })

  test('that are wrong are refused with all of their project, and left out among those of everybody', async () => {
    await edge.reconcile(null, [to('good.test')])
    for (const bad of [to('../x'), to('good.test', 'api')]) {
      const refused = edge.route(null, bad.project, [to('good.test'), to('more.test'), bad])
      await expect(refused).rejects.toMatchObject({ code: 'route_invalid' })
      expect(await edge.state(null)).toEqual([to('good.test')])
      const done = await edge.reconcile(null, [to('good.test'), to('more.test'), bad])
      expect(done).toEqual({ written: 1, removed: 0, unfit: [expect.stringMatching(/host name|two services/)] })
      expect((await edge.state(null)).toSorted(byPlace)).toEqual([to('good.test'), to('more.test')])
      await edge.reconcile(null, [to('good.test')])
    }
  })

  test('leave few old names behind', async () => {
    await edge.reconcile(null, [to('tidy.test')])
    const old = Array.from({ length: 150 }, (_, index) => `routes/tidy.test/${nameFor('none', 1000 + index)}`)
    const gone = Array.from({ length: 50 }, (_, index) => `routes/gone${index}.test/1/x/${nameFor('none', 1000)}`)
    const there = await container()
    await upload(
      there,
      [...old, ...gone].map((path) => ({ path, body: '' })),
      never,
    )
    expect(await edge.reconcile(null, [to('tidy.test')])).toEqual({ written: 0, removed: 0 })
    const left = await list(there, 'routes', never)
    expect(left.filter((path) => path.startsWith('tidy.test/'))).toHaveLength(1)
    expect(left.filter((path) => path.startsWith('gone'))).toEqual([])
    expect((await ask({ host: 'tidy.test' })).status).toBe(200)
  })
})

describe('after a loss', () => {
  test('an emptied volume is filled again', async () => {
    await edge.reconcile(null, [to('a.test'), to('b.test', 'api')])
    await inEdge('rm', '-rf', '/edge/routes')
    expect((await ask({ host: 'a.test' })).status).toBe(404)
    expect(await edge.reconcile(null, [to('a.test'), to('b.test', 'api')])).toEqual({ written: 2, removed: 0 })
    expect((await ask({ host: 'b.test' })).json.version).toBe('api')
  })

  test('a killed edge is back with its routes, and one that lost them too is filled when it is back', async () => {
    await edge.reconcile(null, [to('a.test')])
    const startedAt = async () => (await (await container()).inspect()).State.StartedAt
    const before = await startedAt()
    // It dies by itself: the engine starts it again.
    await inEdge('killall', '-9', 'caddy')
    await until('a new start', 30_000, async () => (await startedAt()) !== before)
    await answers({ ...at, host: 'a.test' })
    // Somebody stops it: the engine leaves it so, and the next look starts it.
    await inEdge('rm', '-rf', '/edge/routes')
    await (await container()).kill()
    await edge.reconcile(null, [to('a.test')])
    await answers({ ...at, host: 'a.test' })
  })

  test('an edge with other settings takes the place of the old one and keeps the routes', async () => {
    await edge.reconcile(null, [to('a.test')])
    const moved = { ...settings, httpsPort: settings.httpsPort + 20_000 }
    expect(await edge.ensure(null, moved)).toBe('replaced')
    expect((await answers({ ...at, host: 'a.test' })).json.version).toBe('web')
    expect(await edge.ensure(null, settings)).toBe('replaced')
    expect(await edge.state(null)).toEqual([to('a.test')])
  })
})

test('an edge that cannot be replaced goes on as it was', async () => {
  await edge.reconcile(null, [to('a.test')])
  const { id } = await container()
  const imageless = edge.ensure(null, { ...settings, image: 'slipway.invalid/none:1' })
  await expect(imageless).rejects.toMatchObject({ code: 'edge_not_started', message: expect.stringContaining('image') })
  // Nothing was stopped for it.
  expect((await container()).id).toBe(id)
  expect((await ask({ host: 'a.test' })).json.version).toBe('web')
  const taken = settings.httpPort + 20_000
  const Ports = [{ Protocol: 'tcp' as const, TargetPort: 8080, PublishedPort: taken, PublishMode: 'host' as const }]
  const { TaskTemplate, ...holder } = appSpec(bench, 'holder', 'holder', 1)
  const alone = { ...TaskTemplate, Networks: [] }
  await docker.createService({ ...holder, TaskTemplate: alone, EndpointSpec: { Mode: 'dnsrr' as const, Ports } })
  await answers({ ...at, port: taken, host: 'any' })
  const portless = caddyEdge(engine, { name, pendingMs: 5000 }).ensure(null, { ...settings, httpPort: taken })
  await expect(portless).rejects.toMatchObject({ code: 'edge_not_started', message: expect.stringContaining('port') })
  expect((await answers({ ...at, host: 'a.test' })).json.version).toBe('web')
  expect(await edge.ensure(null, settings)).toBe('unchanged')
}, 90_000)

test('a rolling update under load loses no request', async () => {
  await edge.reconcile(null, [to('roll.test')])
  await answers({ ...at, host: 'roll.test' })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const failed: string[] = []
  const versions: Record<string, number> = {}
  let rolling = true
  const client = async (turn: number) => {
    for (let count = turn; rolling; count += 1) {
      const method = count % 5 === 0 ? 'POST' : 'GET'
      const answer = await ask({ host: 'roll.test', method, agent }).catch((error: Error) => error)
      const version = 'status' in answer && answer.status === 200 ? answer.json.version : undefined
      if (version) versions[version] = (versions[version] ?? 0) + 1
      else failed.push(`${method} ${'status' in answer ? answer.status : answer.message}`)
      await sleep(30)
    }
  }
  const clients = Promise.all(Array.from({ length: 8 }, (_, turn) => client(turn)))
  const service = docker.getService(`${name}-web`)
  const { Version } = await service.inspect()
  await service.update({ _query: { version: Version.Index }, _body: appSpec(bench, 'web', 'second', 2) })
  const finished = async () => (await service.inspect()).UpdateStatus?.State === 'completed'
  await until('the update is through', 60_000, finished).finally(() => {
    rolling = false
  })
  await clients
  agent.destroy()
  console.log(`rolled under load: ${JSON.stringify(versions)}, ${failed.length} failed`)
  expect(failed).toEqual([])
  expect(versions.web).toBeGreaterThan(50)
  expect(versions.second).toBeGreaterThan(50)
}, 90_000)
