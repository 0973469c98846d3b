import { expect, test } from 'vitest'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { diffReleases } from './diff.ts'

const spec = (service: string, more: Partial<ServiceSpec> = {}): ServiceSpec => ({
  org: 'org_1',
  project: 'prj_1',
  service,
  deployment: 'dep_1',
  image: `${service}@sha256:1`,
  environment: { A: 'one', B: 'two' },
  replicas: 1,
  healthcheck: { kind: 'none', intervalMs: 1, timeoutMs: 1, retries: 1, startPeriodMs: 1 } as never,
  stopGraceMs: 1,
  networks: [],
  volumes: [],
  init: true,
  restart: 'always',
  order: 'start-first',
  monitorMs: 1,
  ...more,
})
const NOTHING = { image: null, replicas: null, port: null, variables: { added: [], removed: [], changed: [] } }

test('the same is the same, whichever deployment brought it', () => {
  const [one] = diffReleases({ services: [spec('web')] }, { services: [spec('web', { deployment: 'dep_2' })] })
  expect(one).toEqual({ name: 'web', change: 'same', ...NOTHING, settings: [] })
})

test('images, replicas, ports and other settings are told, variables by name alone', () => {
  const after = spec('web', {
    image: 'web@sha256:2',
    replicas: 3,
    environment: { B: 'secret', C: 'three' },
    memoryBytes: 5,
    command: ['run', '--password=hush'],
  })
  const found = diffReleases({ services: [spec('web')], ports: { web: 80 } }, { services: [after], ports: { web: 81 } })
  expect(found).toEqual([
    {
      name: 'web',
      change: 'changed',
      image: { from: 'web@sha256:1', to: 'web@sha256:2' },
      replicas: { from: 1, to: 3 },
      port: { from: 80, to: 81 },
      variables: { added: ['C'], removed: ['A'], changed: ['B'] },
      settings: ['command', 'memoryBytes'],
    },
  ])
  expect(JSON.stringify(found)).not.toMatch(/secret|hush|three/)
})

test('a service less and a service more are told as that', () => {
  const found = diffReleases({ services: [spec('old'), spec('both')] }, { services: [spec('both'), spec('new')] })
  expect(found.map(({ name, change }) => [name, change])).toEqual([
    ['both', 'same'],
    ['new', 'added'],
    ['old', 'removed'],
  ])
})
