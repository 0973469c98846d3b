import { expect, test } from 'vitest'
import { trialSpec } from '../../../../../test-kit/runtime.ts'
import { portOf } from '../rows/release.ts'
import { mixOf } from './mix.ts'

const spec = (service: string, deployment: string) => trialSpec({ project: 'prj_a', service, deployment }, 'good')

test('what did not come up stays as it was, and names lead to the port that it listens on', () => {
  const before = { services: [spec('web', 'v1'), spec('api', 'v1')], ports: { web: 3000, api: 4000 } }
  const wanted = {
    services: [spec('web', 'v2'), spec('api', 'v2'), spec('new', 'v2')],
    ports: { web: 8080, api: 9090, new: 1 },
  }
  const mixed = mixOf(wanted, before, (name) => name === 'api')
  expect(mixed.services.map(({ service, deployment }) => [service, deployment])).toEqual([
    ['web', 'v1'],
    ['api', 'v2'],
  ])
  expect([portOf(mixed, 'web'), portOf(mixed, 'api')]).toEqual([3000, 9090])
})
