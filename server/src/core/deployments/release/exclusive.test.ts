import { expect, test } from 'vitest'
import { trialSpec } from '../../../../../test-kit/runtime.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { excludes, predecessorsOf } from './exclusive.ts'
import { mixOf } from './mix.ts'

const spec = (service: string, volume: string | null, more: Partial<ServiceSpec> = {}) =>
  trialSpec({ project: 'prj_a', service, deployment: 'v' }, 'good', {
    volumes: volume === null ? [] : [{ name: volume, target: '/data', readOnly: false }],
    ...more,
  })
const port = (published: number) => ({ ports: [{ target: 80, published, protocol: 'tcp' as const }] })
const names = (specs: ServiceSpec[]) => specs.map(({ service }) => service)

test('two services exclude each other by a volume that both write to, a folder of it, or a port; not by what is read or may be shared', () => {
  const folder = (subpath: string) => ({ volumes: [{ name: 'v', target: '/d', readOnly: false, subpath }] })
  expect(excludes(spec('a', 'v'), spec('b', 'v'))).toBe(true)
  expect(excludes(spec('a', 'v'), spec('b', 'w'))).toBe(false)
  expect(excludes(spec('a', 'v'), spec('b', null, folder('x')))).toBe(true)
  expect(excludes(spec('a', null, folder('x/y')), spec('b', null, folder('x')))).toBe(true)
  expect(excludes(spec('a', null, folder('x')), spec('b', null, folder('xy')))).toBe(false)
  expect(excludes(spec('a', 'v', { canShare: true }), spec('b', 'v'))).toBe(false)
  const reads = { volumes: [{ name: 'v', target: '/d', readOnly: true }] }
  expect(excludes(spec('a', 'v'), spec('b', null, reads))).toBe(false)
  expect(excludes(spec('a', null, port(80)), spec('b', null, port(80)))).toBe(true)
  expect(excludes(spec('a', null, port(80)), spec('b', null, port(81)))).toBe(false)
})

test('who takes something over has a predecessor; who shares it, now or before, has none', () => {
  const before = [spec('db', 'v'), spec('job', 'v', { job: true })]
  const renamed = [spec('database', 'v')]
  expect(names(predecessorsOf(spec('database', 'v'), renamed, before))).toEqual(['db'])
  expect(predecessorsOf(spec('second', 'v'), [spec('db', 'v'), spec('second', 'v')], before)).toEqual([])
  const shared = [spec('db', 'v'), spec('old', 'v')]
  expect(predecessorsOf(spec('db', 'v'), [spec('db', 'v')], shared)).toEqual([])
})

test('a release that is kept in part has the service whose new name did not come up, unless another took its volume', () => {
  const before = { services: [spec('web', null), spec('db', 'v')], ports: { db: 5432 } }
  const wanted = { services: [spec('web', null), spec('database', 'v')] }
  expect(names(mixOf(wanted, before, (name) => name === 'web').services)).toEqual(['web', 'db'])
  expect(names(mixOf(wanted, before, () => true).services)).toEqual(['web', 'database'])
  const two = { services: [spec('one', 'v'), spec('two', 'v')] }
  expect(names(mixOf(two, before, (name) => name === 'one').services)).toEqual(['one'])
})
