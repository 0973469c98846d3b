import { expect, test } from 'vitest'
import { OPEN_POLICY } from '../../engine/policy.ts'
import type { ServiceSpec } from '../rollout/spec.ts'
import { acceptSpec } from './accept.ts'
import { mountsOf } from './mounts.ts'

const base: ServiceSpec = {
  ...{
    org: 'o',
    project: 'p',
    service: 's',
    deployment: 'd',
    image: 'x',
    environment: {},
    replicas: 1,
    stopGraceMs: 1,
  },
  ...{ networks: [], volumes: [], init: false, restart: 'always', order: 'start-first', monitorMs: 1 },
  healthcheck: { kind: 'none', intervalMs: 1, timeoutMs: 1, retries: 1, startPeriodMs: 1 },
}
const data = { name: 'data', target: '/data', readOnly: false, inPlace: true as const }
const bind = (source: string) => ({ source, target: '/x', readOnly: false })
const accept = (change: Partial<ServiceSpec>) =>
  acceptSpec({ ...base, ...change }, { api: 145, policy: OPEN_POLICY, reserved: [] })
const granted = (volumes: string[], paths: string[] = []) => ({ volumes, paths })

test('what is granted is mounted as it is: without labels, without options', () => {
  const spec = { ...base, volumes: [data], binds: [bind('/srv/app')], granted: granted(['data'], ['/srv/app']) }
  acceptSpec(spec, { api: 145, policy: OPEN_POLICY, reserved: [] })
  expect(mountsOf(spec, 'i')).toEqual([
    { Type: 'volume', Source: 'data', Target: '/data', ReadOnly: false },
    { Type: 'bind', Source: '/srv/app', Target: '/x', ReadOnly: false },
  ])
})

test.each([
  ['a volume in place without a grant', { volumes: [data] }],
  ['a volume in place with the grant of another', { volumes: [data], granted: granted(['data2', 'dat']) }],
  ['a volume in place that is to be made', { volumes: [{ ...data, key: 'data' }], granted: granted(['data']) }],
  ['a volume in place in memory', { volumes: [{ ...data, memory: { sizeBytes: 1 } }], granted: granted(['data']) }],
  ['a path without a grant', { binds: [bind('/srv/app')] }],
  ['a path below one that is granted', { binds: [bind('/srv/app/x')], granted: granted([], ['/srv/app']) }],
  ['a path above one that is granted', { binds: [bind('/srv')], granted: granted([], ['/srv/app']) }],
  ['a path that goes upwards', { binds: [bind('/srv/app/../..')], granted: granted([], ['/srv/app/../..']) }],
  ['the whole server', { binds: [bind('/')], granted: granted([], ['/']) }],
  ...['/run', '/var/run/anything', '/var/lib/docker/volumes', '/etc', '/root', '/var', '/boot/x'].map(
    (path): [string, Partial<ServiceSpec>] => [
      `${path}, which is the server’s own`,
      { binds: [bind(path)], granted: granted([], [path]) },
    ],
  ),
  ['the engine itself', { binds: [bind('/var/run/docker.sock')], granted: granted([], ['/var/run/docker.sock']) }],
  ['the kernel', { binds: [bind('/proc/1')], granted: granted([], ['/proc/1']) }],
  ['a path that is none', { binds: [bind('srv')], granted: granted([], ['srv']) }],
])('%s is refused, whatever else a spec says', (_, change) => {
  expect(() => accept(change)).toThrow(expect.objectContaining({ code: 'spec_refused' }))
})
