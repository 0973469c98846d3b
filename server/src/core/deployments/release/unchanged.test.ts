import { expect, test } from 'vitest'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { keepUnchanged } from './unchanged.ts'

const spec = (service: string, deployment: string, image: string, more: Partial<ServiceSpec> = {}) =>
  ({ service, deployment, image, environment: { A: '1' }, replicas: 1, ...more }) as ServiceSpec
const before = [spec('api', 'old', 'i:1'), spec('web', 'old', 'i:2')]

test('the same image and settings keep the old spec, under whatever name the image was built again', () => {
  const wanted = [spec('api', 'new', 'i:3'), spec('web', 'new', 'i:4')]
  expect(keepUnchanged(wanted, before, (name) => name === 'api')).toEqual([before[0], wanted[1]])
})

test('another setting is another spec, also with the same image', () => {
  const wanted = [spec('api', 'new', 'i:1', { environment: { A: '2' } }), spec('web', 'new', 'i:2')]
  expect(keepUnchanged(wanted, before, () => true)).toEqual([wanted[0], before[1]])
})

test('what was left undefined is no difference', () => {
  const wanted = [spec('api', 'new', 'i:1', { command: undefined as never }), spec('web', 'new', 'i:2')]
  expect(keepUnchanged(wanted, before, () => true)).toEqual(before)
})

test('a service that is alone is always rolled out', () => {
  const wanted = [spec('web', 'new', 'i:2')]
  expect(keepUnchanged(wanted, before, () => true)).toEqual(wanted)
})
