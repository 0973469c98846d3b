import { expect, test } from 'vitest'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { checkSize } from './size.ts'

const spec = (replicas: number, ports = 0) =>
  ({
    replicas,
    ports: Array.from({ length: ports }, (_, n) => ({ target: 80, published: 9000 + n, protocol: 'tcp' })),
  }) as ServiceSpec

test('a project has at most a hundred containers, twenty ports of the server and twenty networks', () => {
  const networks = Array.from({ length: 20 }, (_, n) => ({ name: `n${n}`, internal: false }))
  expect(() => checkSize({ services: [spec(99, 10), spec(1, 10)], networks })).not.toThrow()
  expect(() => checkSize({ services: [spec(100), spec(1)] })).toThrow('101 containers')
  expect(() => checkSize({ services: [spec(1, 11), spec(1, 10)] })).toThrow('21 ports of the server')
  expect(() => checkSize({ services: [], networks: [...networks, { name: 'x', internal: true }] })).toThrow(
    '21 networks',
  )
})
