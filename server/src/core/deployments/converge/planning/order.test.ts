import { describe, expect, test } from 'vitest'
import {
  after,
  at,
  d2,
  ids,
  type Made,
  release,
  routesTo,
  seen,
  server,
  spec,
  steps,
} from '../../../../../../test-kit/model-engine/lists.ts'
import { plan } from '../plan.ts'
import type { Spec } from './operation.ts'
import { rollout, settle } from './wanted.ts'

describe('what only one can have', () => {
  const handOver = (own: string) => {
    const prior = [spec('db', { own: [own] }), spec('web')]
    const next = [spec('postgres', { ...d2, own: [own] }), spec('web')]
    return { prior, next, wanted: rollout(release(next), release(prior), 'd2') }
  }

  test.each(['volume data/', 'port 5432/tcp'])('%s: who has it ends before who takes it starts', (own) => {
    const { prior, next, wanted } = handOver(own)
    const ops = plan(at(prior), wanted)
    expect(steps(ops).slice(0, 3)).toEqual([
      'apply postgres d2/v2 ← remove db',
      'wait-healthy postgres d2/v2 ← apply postgres d2/v2',
      'remove db',
    ])
    expect(ops[2]?.reason).toContain(`postgres takes over ${own}`)
    // It failed: the old one has it again.
    expect(steps(plan(at(next), wanted, { postgres: 'failed' }))).toEqual([
      'remove postgres',
      'apply db d1/v1 ← remove postgres',
      'wait-healthy db d1/v1 ← apply db d1/v1',
    ])
  })

  test('is not taken from a service that shares it in the same release, or shared it in the one before', () => {
    const prior = [spec('a', { own: ['volume data/'] }), spec('b', { own: ['volume data/'] })]
    const next = [spec('a', { ...d2, own: ['volume data/'] }), spec('b', { own: ['volume data/'] })]
    const only = (one: Made[]) => ids(plan(at(prior), rollout(release(one), release(prior), 'd2')))
    expect(only(next)).toEqual(['apply a d2/v2', 'wait-healthy a d2/v2'])
    // b lets go of it in this release, in its own turn.
    expect(only([next[0] as Made, spec('b', { ...d2, own: [] })])).toEqual([
      'apply a d2/v2',
      'wait-healthy a d2/v2',
      'apply b d2/v2',
      'wait-healthy b d2/v2',
    ])
  })

  test('may be a folder of a volume: one beside it is no conflict, one below it is', () => {
    const prior = [spec('a', { own: ['volume data/x/'] })]
    const next = (own: string) => [spec('b', { ...d2, own: [own] })]
    const first = (own: string) => steps(plan(at(prior), rollout(release(next(own)), release(prior), 'd2')))[0]
    expect(first('volume data/y/')).toBe('apply b d2/v2')
    expect(first('volume data/x/y/')).toBe('apply b d2/v2 ← remove a')
    expect(first('volume data/')).toBe('apply b d2/v2 ← remove a')
  })

  test('taken from a service that stays: who takes it waits until that one is up without it, unless it waits for its taker', () => {
    const prior = [spec('a', { own: ['volume data/'] }), spec('b')]
    const next = (waits = {}) => [spec('b', { ...d2, own: ['volume data/'] }), spec('a', { ...d2, ...waits })]
    const ops = (services: Made[]) => steps(plan(at(prior), rollout(release(services), release(prior), 'd2')))
    expect(ops(next())).toContain('apply b d2/v2 ← wait-healthy a d2/v2')
    expect(ops(next(after('b'))).filter((op) => !op.includes('←'))).toEqual(['remove a'])
  })

  test('two that exchange it: one gives way first', () => {
    const prior = [spec('a', { own: ['port 1/tcp'] }), spec('b', { own: ['port 2/tcp'] })]
    const next = [spec('a', { ...d2, own: ['port 2/tcp'] }), spec('b', { ...d2, own: ['port 1/tcp'] })]
    const ops = steps(plan(at(prior), rollout(release(next), release(prior), 'd2')))
    expect(ops.filter((op) => !op.includes('←'))).toEqual(['remove a'])
    expect(ops).toContain('apply b d2/v2 ← remove a')
    expect(ops).toContain('apply a d2/v2 ← remove a, wait-healthy b d2/v2')
  })

  test('a stray that has not started yet claims it all the same', () => {
    const web = spec('web', { own: ['volume files/'] })
    const stray = spec('migrate', { ...d2, own: ['volume files/'] })
    const now = server([seen(stray, { up: 0, upForMs: 0 })], { held: [], routes: routesTo([web]) })
    expect(steps(plan(now, settle(release([web]))))).toEqual([
      'apply web d1/v1 ← remove migrate',
      'wait-healthy web d1/v1 ← apply web d1/v1',
      'remove migrate',
    ])
  })

  test('containers that still end are waited for, whoever they were of', () => {
    const db = spec('db', { own: ['volume data/'], listens: null })
    for (const [service, id] of [
      ['db', 'wait-free db'],
      ['old', 'wait-free db volume data/ old'],
    ] as const) {
      const now = server([], { held: [{ resource: 'volume data/', service }] })
      expect(steps(plan(now, settle(release([db])))).slice(0, 2)).toEqual([id, `apply db d1/v1 ← ${id}`])
    }
  })

  test('a removal that has begun waits for nobody, though what needs it and what it needs are the same', () => {
    const prior = [spec('web', { own: ['port 1/tcp'] })]
    const next = [spec('cache', { ...d2, own: ['port 1/tcp'] }), spec('web', { ...d2, ...after('cache') })]
    const now = server([seen(prior[0] as Spec, { leaving: true })], { routes: routesTo(prior) })
    const ops = steps(plan(now, rollout(release(next), release(prior), 'd2')))
    expect(ops.filter((op) => !op.includes('←'))).toEqual(['remove web'])
  })

  test('two that exchange something while one of them is being removed do not wait for each other', () => {
    const [cache, web] = [spec('cache', { own: ['port 1/tcp'] }), spec('web', { own: ['volume data/'] })]
    const other = { deployment: 'd0', specHash: 'v0' }
    const now = server([
      seen({ ...cache, ...other, holds: ['volume data/'] }),
      seen({ ...web, ...other, holds: ['port 1/tcp'] }, { leaving: true }),
    ])
    expect(plan(now, settle(release([cache, web]))).some((op) => op.after.length === 0)).toBe(true)
  })
})
