import { describe, expect, test } from 'vitest'
import {
  after,
  at,
  d2,
  ids,
  job,
  type Made,
  release,
  routesTo,
  seen,
  server,
  spec,
  steps,
} from '../../../../../test-kit/model-engine/lists.ts'
import { plan } from './plan.ts'
import type { Operation } from './planning/operation.ts'
import { forget, putBack, restart, rollout, settle, stop } from './planning/wanted.ts'

// The plan as data, without any engine.

test('what is as it should be needs nothing', () => {
  const now = [spec('db', { own: ['volume data/'] }), spec('web')]
  for (const wanted of [
    settle(release(now)),
    putBack(release(now), 'failed'),
    rollout(release(now), release(now), 'd2'),
  ])
    expect(plan(at(now), wanted)).toEqual([])
  expect(plan({ s1: { services: [], held: [], routes: [], volumes: ['data'], networks: [] } }, stop())).toEqual([])
})

test('a route that is written down twice is one route', () => {
  const web = [spec('web')]
  const twice = { ...release(web), routes: [...routesTo(web), ...routesTo(web)] }
  expect(plan(at(web), settle(twice))).toEqual([])
})

describe('a rollout', () => {
  test('of the first release makes networks, then services in the order of dependencies, then leads names there', () => {
    const next = [spec('db', { ...d2, listens: null }), spec('web', { ...d2, ...after('db') })]
    const now = { s1: { services: [], held: [], routes: [], volumes: [], networks: [] } }
    expect(steps(plan(now, rollout(release(next), null, 'd2')))).toEqual([
      'ensure-networks',
      'apply db d2/v2 ← ensure-networks',
      'wait-healthy db d2/v2 ← apply db d2/v2',
      'apply web d2/v2 ← ensure-networks, wait-healthy db d2/v2',
      'wait-healthy web d2/v2 ← apply web d2/v2',
      'route ← ensure-networks, wait-healthy db d2/v2, wait-healthy web d2/v2',
    ])
  })

  test('that changes one of six touches that one', () => {
    const prior = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => spec(name))
    const next = prior.map((one) => (one.service === 'd' ? { ...one, ...d2 } : one))
    expect(steps(plan(at(prior), rollout(release(next), release(prior), 'd2')))).toEqual([
      'apply d d2/v2',
      'wait-healthy d d2/v2 ← apply d d2/v2',
    ])
  })

  test('removes what is no part any more when names lead elsewhere', () => {
    const prior = [spec('db'), spec('old'), spec('web')]
    const next = [spec('db'), spec('api', d2), spec('web', { ...d2, ...after('api') })]
    expect(steps(plan(at(prior), rollout(release(next), release(prior), 'd2')))).toEqual([
      'apply api d2/v2',
      'wait-healthy api d2/v2 ← apply api d2/v2',
      'apply web d2/v2 ← wait-healthy api d2/v2',
      'wait-healthy web d2/v2 ← apply web d2/v2',
      'route ← wait-healthy api d2/v2, wait-healthy web d2/v2',
      'remove old ← route',
    ])
  })

  test('in parts: services without names, names alone, what is no part alone', () => {
    const prior = [spec('old'), spec('web')]
    const wanted = rollout(release([spec('web', { ...d2, listens: 81 })]), release(prior), 'd2')
    expect(ids(plan(at(prior), { ...wanted, scope: 'rollout' }))).toEqual([
      'route-both',
      'apply web d2/v2',
      'wait-healthy web d2/v2',
    ])
    expect(ids(plan(at(prior), { ...wanted, scope: 'routes' }))).toEqual(['route'])
    expect(ids(plan(at(prior), { ...wanted, scope: 'others' }))).toEqual(['remove old'])
  })

  test('runs a job to its end before what waits for it, once for its deployment', () => {
    const prior = [spec('migrate', job), spec('web')]
    const next = [spec('migrate', { ...d2, ...job }), spec('web', { ...d2, ...after('migrate') })]
    const wanted = rollout(release(next), release(prior), 'd2')
    expect(steps(plan(at(prior), wanted))).toEqual([
      'run-job migrate d2/v2',
      'wait-healthy migrate d2/v2 ← run-job migrate d2/v2',
      'apply web d2/v2 ← wait-healthy migrate d2/v2',
      'wait-healthy web d2/v2 ← apply web d2/v2',
    ])
    expect(plan(at(next), wanted, { migrate: 'came', web: 'came' })).toEqual([])
    expect(ids(plan(at(next), putBack(release(prior), 'failed')))).toEqual([
      'remove migrate',
      'apply web d1/v1',
      'wait-healthy web d1/v1',
    ])
  })

  test('of a service with another port leads names to both before it is replaced, and to one when it is', () => {
    const prior = [spec('web')]
    const next = [spec('web', { ...d2, listens: 81 })]
    expect(steps(plan(at(prior), rollout(release(next), release(prior), 'd2')))).toEqual([
      'route-both',
      'apply web d2/v2 ← route-both',
      'wait-healthy web d2/v2 ← apply web d2/v2',
      'route ← route-both, wait-healthy web d2/v2',
    ])
  })

  test('over an unfinished one turns that back first; what the engine went back from is not tried again', () => {
    const [prior, next, other] = [spec('web'), spec('web', d2), spec('web', { deployment: 'd0', specHash: 'v0' })]
    const wanted = rollout(release([next]), release([prior]), 'd2')
    const moving = server([seen(other, { update: 'moving' })], { routes: routesTo([prior]) })
    expect(ids(plan(moving, wanted))).toEqual([
      'apply web d1/v1',
      'wait-idle web',
      'apply web d2/v2',
      'wait-healthy web d2/v2',
    ])
    const undone = server([seen(prior, { wentBackFrom: [d2] })], { routes: routesTo([prior]) })
    expect(ids(plan(undone, wanted))).toEqual(['wait-healthy web d2/v2'])
  })

  test('back to an old release brings a service back that was removed since, and removes one that was added', () => {
    const prior = [spec('added'), spec('web')]
    const old = [spec('gone', d2), spec('web', d2)]
    expect(steps(plan(at(prior), rollout(release(old), release(prior), 'd2')))).toEqual([
      'apply gone d2/v2',
      'wait-healthy gone d2/v2 ← apply gone d2/v2',
      'apply web d2/v2',
      'wait-healthy web d2/v2 ← apply web d2/v2',
      'route ← wait-healthy gone d2/v2, wait-healthy web d2/v2',
      'remove added ← route',
    ])
  })
})

describe('what failed', () => {
  test('goes back, a new one goes, and what waits for them is not begun; names stay', () => {
    const prior = [spec('api'), spec('web')]
    const next = [spec('api', d2), spec('extra', d2), spec('web', { ...d2, ...after('api') })]
    const wanted = rollout(release(next), release(prior), 'd2')
    const [api, extra] = next as [Made, Made]
    const now = server([seen(api, { up: 0, upForMs: 0 }), seen(extra, { up: 0 }), seen(spec('web'))])
    const routed = { s1: { ...now.s1, routes: routesTo(prior) } }
    expect(steps(plan(routed, wanted, { api: 'failed', extra: 'failed' }))).toEqual([
      'apply api d1/v1',
      'wait-healthy api d1/v1 ← apply api d1/v1',
      'remove extra',
    ])
  })

  test('and was a service before it became a job is a service again; one that was a job stays as it is', () => {
    const [old, made] = [spec('task'), spec('task', { ...d2, ...job })]
    const web = spec('web', d2)
    const wanted = rollout(release([made, web]), release([old, spec('web')]), 'd2')
    const now = server([seen(made, { done: false }), seen(web)], { routes: routesTo([old]) })
    expect(ids(plan(now, wanted, { task: 'failed', web: 'came' }))).toEqual([
      'remove task',
      'apply task d1/v1',
      'wait-healthy task d1/v1',
    ])
    const was = rollout(release([made, web]), release([spec('task', job), spec('web')]), 'd2')
    expect(plan(now, was, { task: 'failed', web: 'came' })).toEqual([])
  })

  test('and was put back is not taken for what came, and a rollout is believed only when it was watched', () => {
    const [old, next, db] = [spec('web'), spec('web', d2), spec('db')]
    const wanted = rollout(release([next, db]), release([old, db]), 'd2')
    const now = server([seen(old, { upForMs: 0 }), seen(db)], { routes: routesTo([old, db]) })
    const back = { id: 'wait-healthy web d1/v1', onSuccess: 'back', onFailure: 'lost' }
    expect(plan(now, wanted, { web: 'failed' })).toMatchObject([back])
    const came = { id: 'wait-healthy web d2/v2', onSuccess: 'came', onFailure: 'failed' }
    expect(plan(at([next, db]), wanted)).toMatchObject([came])
  })
})

describe('other verbs', () => {
  test('settling after a half-done rollout: what changed goes back at once, what was added goes', () => {
    const prior = [spec('api'), spec('web')]
    const now = server(
      [seen(spec('api', d2), { update: 'moving', up: 0, old: 1 }), seen(spec('web')), seen(spec('extra', d2))],
      { routes: routesTo(prior) },
    )
    expect(steps(plan(now, settle(release(prior))))).toEqual([
      'apply api d1/v1',
      'wait-healthy api d1/v1 ← apply api d1/v1',
      'remove extra',
    ])
    expect(plan(now, settle(release(prior)))[0]).toMatchObject({ interrupt: true })
  })

  test('stop, forget and a project that moved: names first, data last, and only where that is said', () => {
    const now = { ...at([spec('web')]).s1, volumes: ['data'] }
    const kinds = (ops: Operation[]) => ops.map(({ kind, server: where }) => `${kind} ${where}`)
    expect(kinds(plan({ s1: now }, stop()))).toEqual(['drop-route s1', 'withdraw s1'])
    expect(kinds(plan({ s1: now }, forget('delete')))).toEqual(['drop-route s1', 'withdraw s1', 'drop-volumes s1'])
    const moved = settle({ ...release([spec('web')]), server: 's2' })
    expect(kinds(plan({ s1: now, s2: now }, moved))).toEqual(['drop-route s1', 'withdraw s1'])
  })

  test('whoever cancels waits until nothing of the cancelled release gets requests any more', () => {
    const web = spec('web', { replicas: 2 })
    const routes = [{ host: 'web.test', pathPrefix: null, service: 'web', port: 80, also: 81 }]
    const now = server([seen(web, { old: 1, update: 'moving' })], { routes })
    expect(steps(plan(now, putBack(release([web]), 'cancelled')))).toEqual([
      'wait-healthy web d1/v1',
      'route ← wait-healthy web d1/v1',
    ])
  })

  test('a restart is told from what was before by its token, goes on after a failure, and runs no job', () => {
    const all = [spec('a'), spec('b'), spec('job', job)]
    const wanted = restart(release(all), 'r1')
    expect(steps(plan(at(all), wanted))).toEqual([
      'restart a',
      'wait-healthy a d1/v1 ← restart a',
      'restart b ← wait-healthy a d1/v1',
      'wait-healthy b d1/v1 ← restart b',
    ])
    expect(plan(at(all), wanted)[1]).toMatchObject({ token: 'r1' })
    expect(steps(plan(at(all), wanted, { a: 'failed' }))[0]).toBe('restart b')
  })

  test('an unfinished rollout of the very spec that is wanted is only finished', () => {
    const [web, db] = [spec('web'), spec('db')]
    const other = seen(spec('web', { deployment: 'd0', specHash: 'v0' }), { update: 'moving' })
    const wanted = rollout(release([web, spec('db', d2)]), release([web, db]), 'd2')
    const ops = plan(server([other, seen(db)], { routes: routesTo([web, db]) }), wanted)
    const mine = ops.filter((op) => 'service' in op && op.service === 'web')
    expect(mine).toMatchObject([{ kind: 'apply', interrupt: true }, { kind: 'wait-healthy' }])
  })
})
