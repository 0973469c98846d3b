import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { DeploymentPlan } from '@slipway/contract/plan'
import { describe, expect, test } from 'vitest'
import { consequencesOf, listed, NOTHING_KNOWN, planInWords } from './consequences.ts'

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

const BEFORE = { ...NOTHING_KNOWN, before: { number: 146 } }
const FIRST = { ...NOTHING_KNOWN, before: null }
const told = (status: DeploymentStatus) => ({ services, status, decision: null })
const form = (deploymentId: string) => ({ deploymentId, number: 1 })

describe('cancelling is told as it will be', () => {
  test.each([
    ['of one that has not begun', 'queued', BEFORE, ['It is not begun.', 'What serves now, #146, is not touched.']],
    [
      'of one that is built',
      'building',
      BEFORE,
      ['It stops, and nothing of it runs.', 'What serves now, #146, is not touched.'],
    ],
    [
      'of the first one that is built',
      'building',
      FIRST,
      ['It stops, and nothing of it runs.', 'Nothing serves now, and that stays so.'],
    ],
    [
      'of one whose services move',
      'deploying',
      BEFORE,
      [
        'Services that it has changed go back to #146.',
        'Names lead to #146, as before. Volumes stay, with what is in them.',
      ],
    ],
    [
      'of the first one: there is nothing to go back to',
      'deploying',
      FIRST,
      [
        'What it has started stops and goes. Volumes stay, with what is in them.',
        'There is no release to go back to: visitors get nothing.',
      ],
    ],
  ] as const)('%s', (_, status, known, said) => expect(consequencesOf('cancel', told(status), known)).toEqual(said))

  test('of one with a service that there was not before', () => {
    const added = [{ ...service('cron', 'deploying'), previous: null }]
    expect(consequencesOf('cancel', { ...told('deploying'), services: added }, BEFORE)).toContain(
      'cron goes: there was none before.',
    )
  })
})

describe('keeping and putting back name each service on its side', () => {
  const pending = { ...told('partial_failure'), decision: 'pending' as const }

  test('as far as it is written down', () => {
    expect(consequencesOf('keep', pending, BEFORE)).toEqual([
      'web and api stay on the new version.',
      'worker stays as before.',
      'This becomes the live release.',
    ])
    expect(consequencesOf('reject', pending, { ...BEFORE, waiting: 2 })).toEqual([
      'web and api go back to the version from before.',
      '#146 stays the live release. The 2 deployments that wait start.',
      'Volumes stay, with what is in them.',
    ])
  })

  test('by the releases, where one was untouched and others were not there before', () => {
    const [was, now] = [form('dep_146'), form('dep_147')]
    const fate = { status: null, error: null }
    const fates = [
      { ...fate, name: 'web', ran: was, runs: now, ifKept: now, ifRejected: was },
      { ...fate, name: 'api', ran: was, runs: was, ifKept: was, ifRejected: was },
      { ...fate, name: 'cron', ran: null, runs: now, ifKept: now, ifRejected: null },
      { ...fate, name: 'worker', ran: null, runs: null, ifKept: null, ifRejected: null },
    ]
    const four = { ...pending, services: [...services, service('cron', 'healthy')] }
    expect(consequencesOf('keep', four, { ...BEFORE, fates }).slice(0, 3)).toEqual([
      'web and cron stay on the new version.',
      'api stays as before.',
      'worker is left out: there was none before.',
    ])
    expect(consequencesOf('reject', four, { ...BEFORE, fates }).slice(0, 2)).toEqual([
      'web goes back to the version from before.',
      'cron goes: there was none before.',
    ])
  })

  test('of a first deployment there is no release that stays', () => {
    const first = services.map((one) => ({ ...one, previous: null }))
    expect(consequencesOf('reject', { ...pending, services: first }, FIRST)).toEqual([
      'web and api go: there was none before.',
      'There is no release to go back to: visitors get nothing.',
      'Volumes stay, with what is in them.',
    ])
  })
})

test('a rollback speaks of pushes only where a push deploys', () => {
  const said = (pushes: 'deploy' | 'paused' | 'never') =>
    consequencesOf('rollback', told('ready'), { ...BEFORE, pushes }).join(' ')
  expect(said('deploy')).toContain('Automatic deployment of pushes pauses until you resume it.')
  expect(said('paused')).toContain('Automatic deployment of pushes stays paused.')
  expect(said('never')).not.toContain('pushes')
})

test('a restart says what stays, and who stops for a moment; a deletion that nobody can go back there', () => {
  const restart = consequencesOf('restart', told('ready'), BEFORE).join(' ')
  expect(restart).toContain('visitors notice a short gap')
  expect(restart).toContain('its volumes stay as they are')
  expect(consequencesOf('remove', told('ready'), BEFORE).slice(1)).toEqual([
    'Nobody can go back to it any more.',
    'What serves now, #146, is not touched.',
  ])
  expect(consequencesOf('remove', told('failed'), FIRST).slice(1)).toEqual(['Nothing serves now, and that stays so.'])
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
