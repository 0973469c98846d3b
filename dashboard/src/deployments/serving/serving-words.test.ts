import type { Serving } from '@slipway/contract/serving'
import { describe, expect, test } from 'vitest'
import { servingInWords } from './serving-words.ts'

const AT = '2026-01-01T00:00:00.000Z'
type Row = Serving['data'][number]
const row = (service: string, deploymentId: string, asReleased: boolean, running = 1): Row => ({
  service,
  deploymentId,
  number: 1,
  replicas: { wanted: 1, running, healthy: running },
  since: AT,
  asReleased,
  seenAt: AT,
})
const serving = (data: Row[], active: Serving['active'] = { id: 'dep_146', number: 146 }): Serving => ({
  target: 'server',
  server: null,
  active,
  data,
  seenAt: AT,
})
const of = (status: 'building' | 'deploying' | 'failed' | 'ready' | 'partial_failure', more = {}) => ({
  id: 'dep_147',
  number: 147,
  status,
  decision: null,
  active: false,
  ...more,
})
const OLD = [row('web', 'dep_140', true), row('api', 'dep_146', true)]
const HALF = [row('web', 'dep_147', false), row('api', 'dep_146', true)]

describe('what visitors get is said as the engine has it', () => {
  test.each([
    ['while it is built', of('building'), serving(OLD), 'Visitors get #146 until this one is ready.'],
    [
      'while services move',
      of('deploying'),
      serving(HALF),
      'Services move from #146 to this one, one after the other.',
    ],
    ['before the first has moved', of('deploying'), serving(OLD), 'Visitors get #146 until this one is ready.'],
    [
      'while a decision is awaited',
      of('partial_failure', { decision: 'pending' }),
      serving(HALF),
      'Visitors get what came up of this one, and #146 for the rest.',
    ],
    ['after it failed', of('failed'), serving(OLD), 'Visitors still get #146.'],
    ['of an old one', { ...of('ready'), number: 140 }, serving(OLD), 'Visitors get #146, which is newer.'],
    ['of the first one', of('building'), serving([], null), 'Visitors get nothing yet.'],
    ['where nothing runs', of('failed'), serving([row('web', 'dep_146', true, 0)]), 'Nothing runs now, not even #146.'],
    ['where something else runs', of('failed'), serving([row('web', 'dep_9', false)]), 'web is not what #146 has.'],
  ])('%s', (_, deployment, seen, said) => expect(servingInWords(deployment, seen)).toBe(said))

  test('of the active release nothing has to be said where all of it runs', () => {
    const active = { ...of('ready'), id: 'dep_146', number: 146, active: true }
    expect(servingInWords(active, serving(OLD))).toBeNull()
    expect(servingInWords(active, serving([row('web', 'dep_146', true, 0)]))).toBe('Nothing of it runs now.')
  })

  test('an engine that never answered has said nothing', () => {
    expect(servingInWords(of('failed'), { ...serving([]), seenAt: null })).toBeNull()
  })
})
