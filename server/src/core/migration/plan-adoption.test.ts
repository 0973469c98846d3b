import { expect, test } from 'vitest'
import type { FoundEngine, FoundImage } from '../../drivers/runtime/reading/found.ts'
import { readConfig } from '../../drivers/runtime/reading/read-config.ts'
import { readContainer } from '../../drivers/runtime/reading/read-container.ts'
import type { Discovery } from './discover.ts'
import { planAdoption } from './plan-adoption.ts'
import { unitsOf } from './units.ts'
import { warningsOf } from './warnings.ts'

const C = 'com.docker.compose.'
const image: FoundImage = { id: 'sha256:1', tags: ['app:1'], digests: [], config: readConfig({}) }
type Made = {
  stack?: string
  name: string
  networks?: Record<string, string[]>
  waits?: string
  mounts?: object[]
  status?: string
}

const made = ({ stack, name, networks = {}, waits, mounts = [], status = 'running' }: Made) =>
  readContainer({
    Id: name.padEnd(64, '0'),
    Name: `/${stack ?? 'own'}-${name}-1`,
    Image: image.id,
    Config: {
      Image: 'app:1',
      Labels: stack
        ? {
            [`${C}project`]: stack,
            [`${C}service`]: name,
            [`${C}version`]: '2.1',
            ...(waits && { [`${C}depends_on`]: waits }),
          }
        : {},
    },
    HostConfig: { NetworkMode: 'x' },
    Mounts: mounts,
    NetworkSettings: {
      Networks: Object.fromEntries(Object.entries(networks).map(([key, Aliases]) => [key, { Aliases }])),
    },
    State: { Status: status },
  })

function adopted(all: Made[], keys?: string[]) {
  const networks = [{ id: '1', name: 'inner', driver: 'bridge', internal: true }]
  const units = unitsOf({
    ...{ containers: all.map(made), services: [], images: new Map([[image.id, image]]), volumes: [], networks },
    ...{ rootDir: '/var/lib/docker', nodes: null, socketPath: '/var/run/docker.sock', edgePorts: [80, 443] },
  })
  const found = { units, networks, files: new Map() } as unknown as Discovery
  return planAdoption(found, keys ? units.filter(({ key }) => keys.includes(key)) : units)
}

test('two services that answer to one name on networks of their own keep it there, and nowhere else', () => {
  const { services } = adopted([
    { stack: 'a', name: 'one', networks: { neta: ['db'] } },
    { stack: 'b', name: 'two', networks: { netb: ['db'] } },
  ])
  expect(services.map(({ plan }) => plan.compose.networks)).toEqual([
    [{ network: 'neta', aliases: ['one', 'a-one-1', 'db'] }],
    [{ network: 'netb', aliases: ['two', 'b-two-1', 'db'] }],
  ])
})

test('services of one name are told apart by their stacks, and stay to be found by the old one', () => {
  const { services, warnings } = adopted([
    { stack: 'blog', name: 'postgres', networks: { neta: [] } },
    { stack: 'shop', name: 'postgres', networks: { netb: [] } },
  ])
  expect(services.map(({ name }) => name)).toEqual(['postgres-blog', 'postgres-shop'])
  expect(services[0]?.plan.compose.networks[0]?.aliases).toContain('postgres')
  expect(warnings.filter(({ key }) => key === 'name')).toHaveLength(2)
})

test('services wait for those of their own stack, as they did; who is not chosen is told', () => {
  const stack = [
    { stack: 'blog', name: 'web', waits: 'db:service_healthy:false,setup:service_completed_successfully:false' },
    { stack: 'blog', name: 'db' },
    { stack: 'blog', name: 'setup', status: 'exited' },
    { stack: 'shop', name: 'db' },
  ]
  const { services } = adopted(stack)
  const of = (name: string) => services.find((one) => one.name === name)
  expect(of('web')?.plan.after).toEqual([
    { service: 'db-blog', until: 'healthy', required: true },
    { service: 'setup', until: 'completed', required: true },
  ])
  expect([of('setup')?.plan.compose.kind, of('db-blog')?.plan.compose.kind]).toEqual(['job', 'service'])
  const alone = adopted(stack, ['compose/blog/web'])
  expect(alone.services[0]?.plan.after).toEqual([])
  expect(alone.warnings.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['It waits for db, which is not chosen.', 'It waits for setup, which is not chosen.']),
  )
})

test('services that say that they wait for each other are started in no order, and that is told', () => {
  const { services, warnings } = adopted([
    { stack: 'a', name: 'x', waits: 'y:service_started:false' },
    { stack: 'a', name: 'y', waits: 'x:service_started:false' },
  ])
  expect(services.map(({ plan }) => plan.after)).toEqual([[], []])
  expect(warnings.filter(({ key }) => key === 'depends_on')).toHaveLength(2)
})

test('what several have is granted once, to be written where any of them does', () => {
  const volume = (RW: boolean) => ({ Type: 'volume', Name: 'data', Destination: '/data', RW, Driver: 'local' })
  const { grants } = adopted([
    { name: 'reads', mounts: [volume(false)] },
    { name: 'writes', mounts: [volume(true)] },
    { name: 'path', mounts: [{ Type: 'bind', Source: '/srv/x/', Destination: '/x', RW: false }] },
  ])
  expect(grants).toEqual([
    { kind: 'path', source: '/srv/x', device: null, writable: false },
    { kind: 'volume', source: 'data', device: null, writable: true },
  ])
})

test('a network that leads nowhere stays one; without any, a service has one of its own', () => {
  const { services } = adopted([
    { name: 'a', networks: { inner: [] } },
    { name: 'b', networks: { none: [] } },
  ])
  expect(services.map(({ plan }) => plan.internal)).toEqual([['inner'], ['none-own-b-1']])
})

test('that neighbours are left behind is told', () => {
  const { warnings } = adopted(
    [
      { name: 'a', networks: { web: [] } },
      { name: 'b', networks: { web: [] } },
    ],
    ['container/own-a-1'],
  )
  expect(warnings.find(({ key }) => key === 'networks')?.message).toContain('own-b-1')
})

test.each([
  [{ swarm: 'active', manager: true }, []],
  [{ swarm: 'active' }, ['worker']],
  [{}, ['docker swarm init']],
  [{ liveRestore: true }, ['live-restore']],
  [{ rootless: true }, ['rootless']],
])('what an engine lacks to deploy is said before anything is adopted: %j', (change, words) => {
  const engine = { swarm: 'inactive', manager: false, liveRestore: false, rootless: false, ...change } as FoundEngine
  const listing = { containers: [], total: 0, tooLarge: 0 }
  const read = { files: new Map(), parked: [], lacking: null }
  const told = warningsOf({ engine, listing, units: [], read, sizesLate: false }).slice(0, -1)
  expect(told).toHaveLength(words.length)
  for (const [n, word] of words.entries()) expect(told[n]).toContain(word)
})
