import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawn, freeze, keptOf, LONG_MS, type ModelRelease, NAMES, RUNS } from '../../../test-kit/model-engine/world.ts'
import { plan } from '../../src/core/deployments/converge/plan.ts'
import type { ObservedServer, ObservedService } from '../../src/core/deployments/converge/planning/observed.ts'
import type { Fate, Operation } from '../../src/core/deployments/converge/planning/operation.ts'
import {
  forget,
  putBack,
  restart,
  rollout,
  settle,
  type Wanted,
} from '../../src/core/deployments/converge/planning/wanted.ts'

const yes = fc.boolean()
const look = fc.record({
  ...{ there: yes, from: fc.nat(2), up: fc.nat(2), old: fc.nat(1), age: fc.constantFrom(0, 5000), back: fc.nat(3) },
  update: fc.constantFrom('idle' as const, 'moving' as const, 'paused' as const),
  ...{ leaving: yes, done: yes, over: yes, lingers: yes, restart: fc.constantFrom(null, 'r1') },
})
type Look = typeof look extends fc.Arbitrary<infer Of> ? Of : never

const any = drawn({ handover: true, modes: true })
const cases = fc.record({
  ...{ one: any, two: any, three: any, looks: fc.array(look, { minLength: 5, maxLength: 5 }) },
  fates: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom<Fate>('came', 'failed', 'back', 'lost'), {
    maxKeys: 3,
  }),
  ...{ which: fc.nat(6), routed: fc.nat(3), networks: yes },
})

function seen({ there, from, back, age, ...more }: Look, name: string, releases: ModelRelease[]): ObservedService[] {
  const of = releases[from]?.services.find(({ service }) => service === name)
  if (!there || !of) return []
  const tried = releases[back]?.services.filter(({ service }) => service === name) ?? []
  const { deployment, specHash, job, replicas: wanted, holds: claims } = of
  const { up, old, update, leaving, done, over, restart } = more
  const state = { up, old, upForMs: age, update, wentBackFrom: tried, done, over, claims, restart, leaving }
  return [{ service: name, deployment, specHash, job, wanted, ...state }]
}

function lingering({ lingers, from }: Look, service: string, releases: ModelRelease[]): ObservedServer['held'] {
  const of = lingers ? releases[from]?.services.find((one) => one.service === service) : undefined
  return (of?.holds ?? []).map((resource) => ({ resource, service }))
}

/** In some order each can have its turn. */
function stuck(all: Operation[]): string[] {
  const done = new Set<string>()
  for (let grew = true; grew; ) {
    const ready = all.filter(({ id, after }) => !done.has(id) && after.every((one) => done.has(one)))
    for (const { id } of ready) done.add(id)
    grew = ready.length > 0
  }
  return all.filter(({ id }) => !done.has(id)).map(({ id, after }) => `${id} ← ${after}`)
}

test(
  'whatever is seen: something can begin, no two wait for each other, nothing foreign is named, and going back runs no job',
  () => {
    fc.assert(
      fc.property(cases, ({ one, two, three, looks, fates, which, routed, networks }) => {
        const active = freeze(one, 'd1', null)
        const next = freeze(two, 'd2', active)
        const releases = [active, next, freeze(three, 'd3', null)]
        const services = looks.flatMap((each, place) => seen(each, NAMES[place] ?? '', releases))
        const held = looks.flatMap((each, place) => lingering(each, NAMES[place] ?? '', releases))
        const routes = releases[routed]?.routes ?? []
        const now = { services, held, routes, volumes: ['data'], networks: networks ? ['private'] : [] }
        const roll = rollout(next, active, 'd2')
        const back = [putBack(active, 'cancelled'), putBack(null, 'failed'), settle(active)]
        const all = [roll, keptOf(roll, fates), ...back, restart(active, 'r1'), forget('delete')]
        const wanted = all[which] as Wanted
        const before = JSON.stringify([now, wanted, fates])
        const ops = plan({ s1: now }, wanted, fates)
        expect(JSON.stringify([now, wanted, fates])).toBe(before)
        expect(JSON.stringify(plan({ s1: now }, wanted, fates))).toBe(JSON.stringify(ops))
        expect(new Set(ops.map(({ id }) => id)).size).toBe(ops.length)
        expect(stuck(ops)).toEqual([])
        const known = new Set([...wanted.services, ...wanted.prior, ...services].map(({ service }) => service))
        for (const op of ops) {
          if ('service' in op) expect(known.has(op.service)).toBe(true)
          if (op.kind === 'remove') expect(services.some(({ service }) => service === op.service)).toBe(true)
          if (op.kind === 'run-job') expect([wanted.manner, op.spec.deployment]).toEqual(['forward', wanted.deployment])
          if (op.kind === 'withdraw') expect(wanted.services).toEqual([])
          expect(op.reason.length).toBeGreaterThan(5)
        }
      }),
      { numRuns: RUNS * 10 },
    )
  },
  LONG_MS,
)
