import { expect, test } from 'vitest'
import { trialSpec } from '../../../../../../test-kit/runtime.ts'
import type { ServiceSpec } from '../../../../drivers/runtime/rollout/spec.ts'
import { observedOf } from './observed.ts'
import { claimIds, clash, resourcesOf, stopsFirst } from './resources.ts'

const spec = (more: Partial<ServiceSpec>): ServiceSpec =>
  trialSpec({ project: 'prj_1', service: 'db', deployment: 'dep_1' }, 'good', more)
const data = { name: 'p-data-1', key: 'data', target: '/data', readOnly: false }

test('a volume that is written to and a port of the machine are needed for itself alone', () => {
  const ports = [{ target: 5432, published: 5432, protocol: 'tcp' as const }]
  expect(resourcesOf(spec({ volumes: [data, { ...data, name: 'p-logs-1', readOnly: true }], ports }))).toEqual({
    needs: [
      { id: 'volume p-data-1/', label: 'the volume data' },
      { id: 'port 5432/tcp', label: 'port 5432' },
    ],
    holds: ['volume p-data-1/', 'port 5432/tcp'],
  })
})

test('a volume that is safe for two writers is held, and not needed alone', () => {
  const shared = resourcesOf(spec({ volumes: [data], canShare: true }))
  expect(shared).toEqual({ needs: [], holds: ['volume p-data-1/'] })
})

test.each([
  ['volume a/', 'volume a/x/', true],
  ['volume a/x/', 'volume a/x/y/', true],
  ['volume a/x/', 'volume a/y/', false],
  ['volume a/', 'volume ab/', false],
  ['port 5/tcp', 'port 53/tcp', false],
  ['port 53/tcp', 'port 53/udp', false],
])('%s and %s', (a, b, both) => {
  expect([clash(a, b), clash(b, a)]).toEqual([both, both])
})

test('what an engine shows has the same names as what a spec wants', () => {
  const volumes = [{ ...data, subpath: '/x//y' }]
  const claims = { volumes: [{ name: 'p-data-1', subpath: 'x/y' }], ports: [{ published: 53, protocol: 'udp' }] }
  expect(claimIds(claims)).toEqual([...resourcesOf(spec({ volumes })).holds, 'port 53/udp'])
  const seen = observedOf(
    { services: [], held: [{ service: 'db', claims }], networks: ['n'] },
    { routes: [], volumes: [] },
  )
  expect(seen.held.map(({ resource }) => resource)).toEqual(claimIds(claims))
})

test('a volume, a path of the server or a port makes it stop first, whatever is said', () => {
  const bind = { source: '/srv', target: '/srv', readOnly: false }
  expect(stopsFirst(spec({}))).toBe(false)
  expect(stopsFirst(spec({ volumes: [data] }))).toBe(true)
  expect(stopsFirst(spec({ volumes: [data], canShare: true }))).toBe(false)
  expect(stopsFirst(spec({ binds: [bind] }))).toBe(true)
  expect(stopsFirst(spec({ ports: [{ target: 1, published: 1, protocol: 'tcp' }] }))).toBe(true)
})
