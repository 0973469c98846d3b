import { describe, expect, test } from 'vitest'
import {
  after,
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
import { verdictOf } from './held.ts'
import type { Fates } from './operation.ts'
import { keep, putBack, rollout } from './wanted.ts'

describe('a stack of six of which any fail', () => {
  const names = ['db', 'cache', 'api', 'worker', 'web', 'docs']
  const needs: Record<string, string[]> = { api: ['db', 'cache'], worker: ['db'], web: ['api'] }
  const prior = names.map((name) => spec(name))
  const next = names.map((name) => spec(name, { ...d2, listens: 81, ...after(...(needs[name] ?? [])) }))
  const wanted = rollout(release(next), release(prior), 'd2')
  const subsets = Array.from({ length: 2 ** names.length - 1 }, (_, n) =>
    names.filter((_, place) => (n + 1) & (1 << place)),
  )

  /** By what waits for what, and by nothing of the plan. */
  function table(bad: string[]) {
    const ends = new Map<string, 'came' | 'failed' | 'held'>()
    for (const name of names) {
      const held = (needs[name] ?? []).some((other) => ends.get(other) !== 'came')
      ends.set(name, held ? 'held' : bad.includes(name) ? 'failed' : 'came')
    }
    const those = (end: string) => names.filter((name) => ends.get(name) === end)
    return { came: those('came'), failed: those('failed') }
  }
  const on = (came: string[], of: string[]) =>
    names.map((name, n) => (came.includes(name) || of.includes(name) ? next : prior)[n] as Made)
  const observe = (services: Made[]) => {
    const both = routesTo(prior).map((route) => ({ ...route, also: 81 }))
    return server(
      services.map((one) => seen(one)),
      { routes: both },
    )
  }
  const fatesOf = (came: string[], others: string[], as: 'failed' | 'back'): Fates =>
    Object.fromEntries([...came.map((name) => [name, 'came'] as const), ...others.map((name) => [name, as] as const)])

  test.each(subsets)(
    'failed are put back alone, and kept or rejected as the table says: %s %s %s %s %s %s',
    (...bad) => {
      const { came, failed } = table(bad)
      const putting = plan(observe(on(came, failed)), wanted, fatesOf(came, failed, 'failed'))
      expect(ids(putting)).toEqual(failed.flatMap((name) => [`apply ${name} d1/v1`, `wait-healthy ${name} d1/v1`]))
      expect(putting.filter(({ id }) => id.startsWith('apply')).every((op) => op.after.length === 0)).toBe(true)
      const back = fatesOf(came, failed, 'back')
      const pending = observe(on(came, []))
      expect(plan(pending, wanted, back)).toEqual([])
      expect(verdictOf(wanted, back)).toBe(came.length > 0 ? 'partial' : 'failed')
      const kept = on(came, [])
      const keeping = plan(pending, keep(wanted, { services: kept, routes: routesTo(kept) }))
      expect(keeping).toMatchObject([{ id: 'route', after: [], routes: routesTo(kept) }])
      const rejecting = plan(pending, putBack(release(prior), 'failed'))
      const ends = came.map((name) => `wait-healthy ${name} d1/v1`)
      expect(steps(rejecting)).toEqual([
        ...came.flatMap((name) => [`apply ${name} d1/v1`, `wait-healthy ${name} d1/v1 ← apply ${name} d1/v1`]),
        `route${ends.length > 0 ? ` ← ${ends.join(', ')}` : ''}`,
      ])
    },
  )
})
