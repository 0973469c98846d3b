import fc from 'fast-check'
import { expect, test } from 'vitest'
import { behaviourOf } from '../../../test-kit/model-engine/shapes.ts'
import { Swarm } from '../../../test-kit/model-engine/swarm.ts'
import {
  bring,
  cutsOf,
  drawn,
  freeze,
  good,
  journalOf,
  keptOf,
  LONG_MS,
  lapses,
  left,
  type ModelRelease,
  RUNS,
  randomOf,
  routesTo,
  running,
  seeds,
  shouldRun,
  throughCuts,
  withStranger,
} from '../../../test-kit/model-engine/world.ts'
import { verdictOf } from '../../src/core/deployments/converge/planning/held.ts'
import { putBack, rollout, settle, type Wanted } from '../../src/core/deployments/converge/planning/wanted.ts'

/** The table of states in a few lines that know nothing of the plan. */
function expected(release: ModelRelease, prior: ModelRelease | null, deployment: string) {
  const fate = new Map<string, 'came' | 'failed' | 'held'>()
  for (const spec of release.services) {
    const waits = spec.after.some(({ service, required }) => required && fate.get(service) !== 'came')
    if (spec.deployment !== deployment) fate.set(spec.service, 'came')
    else
      fate.set(
        spec.service,
        waits ? 'held' : behaviourOf(spec) === 'good' || behaviourOf(spec) === 'late' ? 'came' : 'failed',
      )
  }
  const before = (name: string) => prior?.services.find(({ service }) => service === name)
  const now = release.services.flatMap((spec) =>
    fate.get(spec.service) === 'came' ? [spec] : (before(spec.service) ?? []),
  )
  const all = release.services.every(({ service }) => fate.get(service) === 'came')
  const some = release.services.some(({ service, deployment: of }) => of === deployment && fate.get(service) === 'came')
  const retiring = (prior?.services ?? []).filter(
    ({ service }) => !release.services.some((one) => one.service === service),
  )
  return { verdict: all ? 'ready' : some ? 'partial' : 'failed', kept: now, pending: all ? now : [...now, ...retiring] }
}

async function first(seed: number, release: ModelRelease | null) {
  const swarm = new Swarm('s1', 'p', randomOf(seed))
  const stranger = withStranger(swarm)
  if (release) {
    const d1 = rollout(release, null, 'd1')
    const { end } = await bring(swarm, d1)
    expect(end).toBe('reached')
    expect(left(swarm, settle(release))).toEqual([])
  }
  return { swarm, stranger }
}

const cases = fc.record({
  seed: seeds,
  one: fc.option(drawn().map(good)),
  two: drawn({ bad: true }),
  choice: fc.constantFrom('keep', 'reject'),
  cuts: cutsOf,
})

test(
  'a rollout ends as the tables say, keep and reject too; nothing is lost on the way, and then nothing is left to do',
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, one, two, choice }) => {
        const prior = one && freeze(one, 'd1', null)
        const { swarm, stranger } = await first(seed, prior)
        const untouched = new Map(swarm.tasks.map((task) => [task.spec.service, task.id]))
        const release = freeze(two, 'd2', prior)
        const wanted = rollout(release, prior, 'd2')
        const journal = journalOf()
        await bring(swarm, wanted, { journal })
        const table = expected(release, prior, 'd2')
        expect(verdictOf(wanted, journal.fates)).toBe(table.verdict)
        expect(running(swarm)).toEqual(shouldRun(table.pending))
        for (const { service, deployment, job } of release.services)
          if (deployment === 'd1' && !job)
            expect(swarm.tasks.some(({ id }) => id === untouched.get(service))).toBe(true)
        expect(left(swarm, wanted, journal.fates)).toEqual([])
        if (table.verdict === 'ready') expect(swarm.routes.p ?? []).toEqual(release.routes)
        let then: Wanted | undefined
        if (table.verdict === 'partial' && choice === 'keep') {
          then = keptOf(wanted, journal.fates)
          await bring(swarm, then)
          expect(running(swarm)).toEqual(shouldRun(table.kept))
          expect(swarm.routes.p ?? []).toEqual(routesTo(table.kept))
        } else if (table.verdict !== 'ready') {
          then = putBack(prior, 'failed')
          const { end } = await bring(swarm, then)
          expect(end).toBe('reached')
          expect(running(swarm)).toEqual(shouldRun(prior?.services ?? []))
          expect(swarm.routes.p ?? []).toEqual(prior?.routes ?? [])
        }
        if (then) expect(left(swarm, then)).toEqual([])
        expect([
          swarm.audit.twoWriters,
          lapses(swarm),
          stranger(),
          swarm.early.filter((one) => one.startsWith('route ')),
        ]).toEqual([[], [], '', []])
      }),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)

test(
  'cut after any writes, before or after they had their effect, the next owner reaches the same end',
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, one, two, choice, cuts }) => {
        const prior = one && freeze(one, 'd1', null)
        const { swarm, stranger } = await first(seed, prior)
        const release = freeze(two, 'd2', prior)
        const wanted = rollout(release, prior, 'd2')
        const journal = journalOf()
        await throughCuts(swarm, wanted, cuts, journal)
        const table = expected(release, prior, 'd2')
        expect(verdictOf(wanted, journal.fates)).toBe(table.verdict)
        expect(running(swarm)).toEqual(shouldRun(table.pending))
        expect(left(swarm, wanted, journal.fates)).toEqual([])
        if (table.verdict !== 'ready') {
          const then =
            choice === 'keep' && table.verdict === 'partial' ? keptOf(wanted, journal.fates) : putBack(prior, 'failed')
          await throughCuts(swarm, then, cuts.toReversed())
          expect(running(swarm)).toEqual(shouldRun(then.services))
          expect(swarm.routes.p ?? []).toEqual(then.routes)
          expect(left(swarm, then)).toEqual([])
        }
        expect([swarm.audit.twoWriters, lapses(swarm), stranger()]).toEqual([[], [], ''])
      }),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)

test(
  'an unchanged service that had vanished is made again and seen up before names lead to it',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ seed: seeds, one: drawn().map(good) }), async ({ seed, one }) => {
        const prior = freeze(one, 'd1', null)
        const { swarm } = await first(seed, prior)
        for (const { id, project } of swarm.services) if (project === 'p') swarm.drop(id)
        swarm.routes.p = []
        await swarm.pause(12)
        await bring(swarm, rollout(prior, prior, 'd2'))
        expect([running(swarm), swarm.early]).toEqual([shouldRun(prior.services), []])
      }),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)
