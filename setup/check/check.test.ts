import { expect, test } from 'vitest'
import { ENGINE, facts, INSTALLED } from '../test/facts.ts'
import { check } from './check.ts'

const NONE: Parameters<typeof check>[1] = {
  httpPort: null,
  httpsPort: null,
  databaseUrl: null,
  offline: null,
  version: '1.0.0',
}

const states = (change: Parameters<typeof facts>[0], wanted: Partial<typeof NONE> = {}) =>
  Object.fromEntries(check(facts(change), { ...NONE, ...wanted }).map(({ id, state }) => [id, state]))

test('a clean machine is good, and what is missing there will be made', () => {
  expect(states({})).toEqual({
    root: 'ok',
    system: 'ok',
    systemd: 'ok',
    processor: 'ok',
    memory: 'ok',
    disk: 'ok',
    docker: 'plan',
    swarm: 'plan',
    buildx: 'plan',
    'web ports': 'ok',
    database: 'plan',
    others: 'ok',
    slipway: 'plan',
  })
})

test.each<[string, Parameters<typeof facts>[0], string]>([
  ['somebody who is not root', { system: { root: false } }, 'root'],
  ['a machine without systemd', { system: { systemd: false } }, 'systemd'],
  ['a processor without a release', { system: { architecture: 'riscv64' } }, 'processor'],
  ['too little memory', { system: { memoryMb: 512 } }, 'memory'],
  ['too little disk', { system: { freeGb: 2 } }, 'disk'],
  ['an engine that does not answer', { engine: { installed: true } }, 'docker'],
  ['the snap', { engine: { ...ENGINE, snap: true } }, 'docker'],
  ['a rootless engine', { engine: { ...ENGINE, rootless: true } }, 'docker'],
  ['an engine that is too old', { engine: { ...ENGINE, version: '19.03.15' } }, 'docker'],
  ['live-restore, which Swarm does not go with', { engine: { ...ENGINE, liveRestore: true } }, 'docker'],
  [
    'a worker of another Swarm',
    { engine: { ...ENGINE, swarm: { state: 'active', manager: false, nodes: 0 } } },
    'swarm',
  ],
  ['a Swarm that is locked', { engine: { ...ENGINE, swarm: { state: 'locked', manager: false, nodes: 0 } } }, 'swarm'],
  [
    'an engine whose distribution has no buildx',
    { engine: { ...ENGINE, version: '20.10.24', buildx: null } },
    'buildx',
  ],
  ["the platform's own port in another's hands", { listeners: { 4600: 'python3' } }, 'port 4600'],
])('%s is refused, before anything is changed', (_, change, id) => {
  const found = check(facts(change), NONE).filter(({ state }) => state === 'failed')
  expect(found.map((one) => one.id)).toEqual([id])
  expect(found[0]?.remedy).toMatch(/\S/)
})

test('a proxy that has port 80 is no reason to refuse: the edge goes behind it', () => {
  const found = check(facts({ listeners: { 80: 'nginx', 8080: 'java' } }), NONE).find(({ id }) => id === 'web ports')
  expect(found).toMatchObject({ state: 'plan', what: 'port 80 is taken by nginx' })
  expect(found?.remedy).toContain('8081 and 8443')
})

test('ports that were asked for and are taken are refused by name', () => {
  const found = check(facts({ listeners: { 8080: 'java' } }), { ...NONE, httpPort: 8080 })
  expect(found.find(({ id }) => id === 'web ports')).toMatchObject({
    state: 'failed',
    what: 'port 8080 is taken by java',
  })
})

test('buildx of a folder is good where the distribution has none', () => {
  expect(states({ engine: { ...ENGINE, version: '20.10.24', buildx: null } }, { offline: '/media' })).toMatchObject({
    buildx: 'plan',
  })
})

test('what hurts later and can be lived with is a warning: small memory, little disk, a clock of its own, names that nobody answers', () => {
  const seen = states({
    system: { memoryMb: 1024, freeGb: 8, clockInSync: false, namesAnswered: false, ufw: true },
    platforms: ['Coolify'],
    engine: { ...ENGINE, lacks: ['memory'] },
  })
  const warned = Object.keys(seen).filter((id) => seen[id] === 'warning')
  expect(warned).toEqual(['memory', 'disk', 'clock', 'names', 'firewall', 'limits', 'others'])
})

test('an installation in order has nothing to do, and its own ports are not held against it', () => {
  const listeners = { 80: 'docker-proxy', 443: 'docker-proxy', 4600: 'systemd' }
  expect(Object.values(states({ engine: ENGINE, installed: INSTALLED, listeners }))).not.toContain('failed')
})
