import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { DeploymentPlan } from '@slipway/contract/plan'
import { expect, test } from 'vitest'
import { consequencesOf, listed, planInWords } from './consequences.ts'

const service = (name: string, status: DeploymentService['status']): DeploymentService => ({
  name,
  status,
  image: null,
  digest: null,
  previousDigest: null,
  replicas: 1,
  error: null,
})
const services = [service('web', 'healthy'), service('api', 'healthy'), service('worker', 'failed')]
const EMPTY: DeploymentPlan = {
  operations: [],
  created: [],
  replaced: [],
  restarted: [],
  removed: [],
  jobs: [],
  routed: [],
  interrupted: [],
}

test('cancelling says that services go back only where some may have moved', () => {
  expect(consequencesOf('cancel', { services, status: 'building' }).join(' ')).not.toContain('go back')
  expect(consequencesOf('cancel', { services, status: 'deploying' }).join(' ')).toContain('go back')
})

test('keeping and putting back name each service on its side', () => {
  const told = { services, status: 'partial_failure' as const }
  expect(consequencesOf('keep', told).slice(0, 2)).toEqual([
    'web and api stay on the new version.',
    'worker stays as before.',
  ])
  expect(consequencesOf('reject', told)[0]).toBe('web and api go back to the version from before.')
})

test('a rollback says what the server would have to change, and what it could not look at', () => {
  const looked = (plan: Partial<DeploymentPlan>, rebuilt: string[] = []) =>
    planInWords({ data: { plan: { ...EMPTY, ...plan }, rebuilt }, isPending: false, isError: false })
  expect(looked({ replaced: ['web'], removed: ['cron'] }, ['web'])).toEqual([
    'web is replaced by what ran then.',
    'cron goes: that release has no such service.',
    'The image of web is gone and is built again first, which takes longer.',
  ])
  expect(looked({})).toEqual(['No container is replaced: what runs is as it was then.'])
  expect(planInWords({ isPending: false, isError: true })).toEqual([
    'What would change on the server could not be looked at now.',
  ])
})

test('names are listed as one says them', () => {
  expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ])
})
