import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fleet } from '../../../test-kit/model-engine/fleet.ts'
import { Swarm } from '../../../test-kit/model-engine/swarm.ts'
import {
  bring,
  cutsOf,
  drawn,
  free,
  freeze,
  good,
  journalOf,
  LONG_MS,
  lapses,
  left,
  type ModelRelease,
  RUNS,
  randomOf,
  running,
  seeds,
  shouldRun,
  throughCuts,
  withStranger,
} from '../../../test-kit/model-engine/world.ts'
import { converge } from '../../src/core/deployments/converge/converge.ts'
import { plan } from '../../src/core/deployments/converge/plan.ts'
import {
  forget,
  putBack,
  reroute,
  restart,
  restoreAfterRelease,
  rollout,
  settle,
  stop,
} from '../../src/core/deployments/converge/planning/wanted.ts'

async function live(seed: number, release: ModelRelease) {
  const swarm = new Swarm('s1', 'p', randomOf(seed))
  const stranger = withStranger(swarm)
  expect((await bring(swarm, rollout(release, null, 'd1'))).end).toBe('reached')
  await swarm.pause(10)
  return { swarm, stranger }
}
const runs = { numRuns: RUNS }
const one = drawn().map(good)

test(
  'a restart gives each service new containers once, one service after the other, and what asks notices nothing; over cuts too',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, one, cuts: cutsOf, sour: fc.option(fc.nat(4)) }),
        async ({ seed, one, cuts, sour }) => {
          const active = freeze(one, 'd1', null)
          const { swarm, stranger } = await live(seed, active)
          const running0 = running(swarm)
          const services = active.services.filter(({ job }) => !job)
          const bitter = sour === null ? undefined : services[sour]
          if (bitter && bitter.order !== 'stop-first') swarm.sour.add(bitter.service)
          const isSour = ({ service }: { service: string }) => swarm.sour.has(service)
          const old = new Set(swarm.tasks.map(({ id }) => id))
          const wanted = restart(active, 'r1')
          const journal = journalOf()
          const tick = swarm.tick.bind(swarm)
          let most = 0
          swarm.tick = () => {
            tick()
            most = Math.max(
              most,
              swarm.services.filter(({ project, update }) => project === 'p' && update === 'updating').length,
            )
          }
          await throughCuts(swarm, wanted, cuts, journal)
          swarm.tick = tick
          expect(most).toBeLessThanOrEqual(1)
          for (const spec of services) {
            const service = swarm.find(spec.service)
            const tasks = swarm.tasks.filter((task) => task.of === service?.id && task.meant && task.healthy)
            expect(tasks).toHaveLength(spec.replicas)
            if (isSour(spec)) expect(tasks.every(({ id }) => old.has(id))).toBe(true)
            else
              expect([service?.restart, service?.generation, tasks.some(({ id }) => old.has(id))]).toEqual([
                'r1',
                1,
                false,
              ])
            expect(journal.fates[spec.service] ?? 'came').toBe(isSour(spec) ? 'failed' : 'came')
          }
          expect(running(swarm)).toEqual(running0)
          expect(left(swarm, wanted, journal.fates)).toEqual([])
          expect([swarm.audit.twoWriters, lapses(swarm), stranger()]).toEqual([[], [], ''])
        },
      ),
      runs,
    )
  },
  LONG_MS,
)

test(
  'stop and forget take all of it away and nothing else: names first, volumes only where that is said',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, one, cuts: cutsOf, how: fc.constantFrom('stop', 'keep', 'delete') }),
        async ({ seed, one, cuts, how }) => {
          const active = freeze(one, 'd1', null)
          const { swarm, stranger } = await live(seed, active)
          const volumes = swarm.volumes.p ?? []
          const wanted = how === 'stop' ? stop() : forget(how as 'keep')
          expect((await throughCuts(swarm, wanted, cuts)).end).toBe('reached')
          expect(running(swarm)).toEqual({})
          expect([swarm.routes.p ?? [], swarm.networks.p ?? [], swarm.look().s1?.held]).toEqual([[], [], []])
          expect(swarm.volumes.p ?? []).toEqual(how === 'delete' ? [] : volumes)
          expect(left(swarm, wanted)).toEqual([])
          expect([swarm.audit.twoWriters, swarm.audit.gaps, stranger()]).toEqual([[], [], ''])
        },
      ),
      runs,
    )
  },
  LONG_MS,
)

test(
  'a cancel that somebody waits for ends in time at any moment; settling then reaches what was',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: seeds,
          one: fc.option(one),
          two: drawn({ bad: true }),
          at: fc.nat(60),
          limit: fc.nat(20),
          cuts: cutsOf,
        }),
        async ({ seed, one, two, at, limit, cuts }) => {
          const prior = one && freeze(one, 'd1', null)
          const swarm = new Swarm('s1', 'p', randomOf(seed))
          const stranger = withStranger(swarm)
          if (prior) await bring(swarm, rollout(prior, null, 'd1'))
          const release = freeze(two, 'd2', prior)
          const cancel = new AbortController()
          const clock = (control: AbortController, ticks: number) => {
            const end = swarm.time + ticks
            const tick = swarm.tick.bind(swarm)
            swarm.tick = () => {
              tick()
              if (swarm.time >= end) control.abort(new Error('cancelled'))
            }
            return () => {
              swarm.tick = tick
            }
          }
          let stopClock = clock(cancel, at)
          await bring(swarm, rollout(release, prior, 'd2'), { signal: cancel.signal }).catch((error) =>
            expect(error.message).toBe('cancelled'),
          )
          stopClock()
          const enough = new AbortController()
          stopClock = clock(enough, limit)
          const began = swarm.time
          await bring(swarm, putBack(prior, 'cancelled'), { enough: enough.signal })
          stopClock()
          // One look may be under way when time is up.
          expect(swarm.time - began).toBeLessThanOrEqual(limit + 12)
          const wanted = settle(prior)
          expect((await throughCuts(swarm, wanted, cuts)).end).toBe('reached')
          expect(running(swarm)).toEqual(shouldRun(prior?.services ?? []))
          expect(swarm.routes.p ?? []).toEqual(prior?.routes ?? [])
          expect(left(swarm, wanted)).toEqual([])
          expect([swarm.audit.twoWriters, lapses(swarm), stranger()]).toEqual([[], [], ''])
        },
      ),
      runs,
    )
  },
  LONG_MS,
)

test(
  'a release that falls after it went live gives way to the one before, whose names come back',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, one, two: drawn({ late: true }), cuts: cutsOf }),
        async ({ seed, one, two, cuts }) => {
          const before = freeze(one, 'd1', null)
          const { swarm, stranger } = await live(seed, before)
          const release = freeze(two, 'd2', before)
          const { end } = await bring(swarm, rollout(release, before, 'd2'))
          fc.pre(end === 'reached')
          await swarm.pause(40)
          const wanted = restoreAfterRelease(before)
          expect((await throughCuts(swarm, wanted, cuts)).end).toBe('reached')
          expect(running(swarm)).toEqual(shouldRun(before.services))
          expect(swarm.routes.p ?? []).toEqual(before.routes)
          expect(left(swarm, wanted)).toEqual([])
          expect([swarm.audit.twoWriters, lapses(swarm), stranger()]).toEqual([[], [], ''])
        },
      ),
      runs,
    )
  },
  LONG_MS,
)

test(
  'a project that moved is cleared from where it was, one that did not is left alone, and names alone change nothing else',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ seed: seeds, one, two: one }), async ({ seed, one, two }) => {
        const before = freeze(one, 'd1', null)
        const { swarm: old } = await live(seed, before)
        const next = new Swarm('s2', 'p', randomOf(seed + 1))
        const release = freeze(two, 'd2', null, 's2')
        await bring(next, rollout(release, before, 'd2'))
        expect(running(old)).toEqual(shouldRun(before.services))
        const wanted = settle(release)
        const fleet = new Fleet([old, next])
        const options = { journal: journalOf(), guard: free, signal: new AbortController().signal }
        const tasks = next.tasks.map(({ id }) => id).join()
        expect((await converge(fleet, wanted, options)).end).toBe('reached')
        expect([running(old), old.routes.p ?? []]).toEqual([{}, []])
        expect(running(next)).toEqual(shouldRun(release.services))
        expect(plan(await fleet.observe(), wanted)).toEqual([])
        const named = reroute({
          ...release,
          routes: release.routes.map((route) => ({ ...route, host: `www.${route.host}` })),
        })
        await bring(next, named)
        expect(next.routes.p ?? []).toEqual(named.routes)
        expect(
          next.tasks
            .filter(({ meant }) => meant)
            .map(({ id }) => id)
            .join(),
        ).toBe(tasks)
      }),
      runs,
    )
  },
  LONG_MS,
)

class LeaseLost extends Error {}

test(
  'an owner that has lost its run writes nothing more, at whatever write that is',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, one, two: drawn({ bad: true }), at: fc.nat(8) }),
        async ({ seed, one, two, at }) => {
          const prior = freeze(one, 'd1', null)
          const { swarm } = await live(seed, prior)
          let granted = 0
          let writes = 0
          swarm.chaos = { around: (when) => void (when === 'before' && writes++) }
          const guard = async () => {
            if (granted >= at) throw new LeaseLost()
            granted++
          }
          await bring(swarm, rollout(freeze(two, 'd2', prior), prior, 'd2'), { guard }).catch((error) =>
            expect(error).toBeInstanceOf(LeaseLost),
          )
          // Each write was granted for itself.
          expect(writes).toBe(granted)
          if (at === 0) expect(running(swarm)).toEqual(shouldRun(prior.services))
        },
      ),
      runs,
    )
  },
  LONG_MS,
)

test(
  'an owner that was stopped right before a write, and goes on when another has finished, does no harm that settling does not find',
  async () => {
    const harm: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: seeds,
          one: fc.option(one),
          two: drawn({ bad: true }),
          at: fc.nat(10),
          undo: fc.boolean(),
          marks: fc.boolean(),
        }),
        async ({ seed, one, two, at, undo, marks }) => {
          const prior = one && freeze(one, 'd1', null)
          const swarm = new Swarm('s1', 'p', randomOf(seed))
          swarm.tombstones = marks
          swarm.audit.forgiving = true
          const stranger = withStranger(swarm)
          if (prior) await bring(swarm, rollout(prior, null, 'd1'))
          const release = freeze(two, 'd2', prior)
          const wanted = rollout(release, prior, 'd2')
          const journal = journalOf()
          let owner = 1
          let writes = 0
          let held: string | undefined
          let goOn = () => {}
          const reached = new Promise<void>((resolve) => {
            swarm.chaos = {
              around: (when, op) => {
                if (when === 'after' || owner !== 1 || writes++ !== at) return
                held = op.kind
                owner = 2
                resolve()
                return new Promise<void>((release) => (goOn = release))
              },
            }
          })
          const zombie = bring(swarm, wanted, {
            journal,
            guard: async () => {
              if (owner !== 1) throw new LeaseLost()
            },
          }).catch((error) => expect(error).toBeInstanceOf(LeaseLost))
          await Promise.race([reached, zombie])
          fc.pre(held !== undefined)
          const second = undo ? putBack(prior, 'failed') : wanted
          const heir = journalOf(undo ? {} : journal.fates)
          await bring(swarm, second, { journal: heir })
          const before = JSON.stringify([running(swarm), swarm.routes.p])
          goOn()
          await zombie
          await swarm.pause(20)
          if (JSON.stringify([running(swarm), swarm.routes.p]) !== before) {
            const what = `${held}${marks ? '' : ' without marks'}`
            harm[what] = (harm[what] ?? 0) + 1
            expect(what).not.toBe('remove')
          }
          const last = undo ? settle(prior) : second
          await bring(swarm, last, { journal: journalOf(undo ? {} : heir.fates) })
          expect(left(swarm, last, undo ? {} : heir.fates)).toEqual([])
          expect([swarm.audit.twoWriters, stranger()]).toEqual([[], ''])
        },
      ),
      runs,
    )
  },
  LONG_MS,
)
