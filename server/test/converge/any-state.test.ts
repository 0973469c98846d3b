import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeMess, messOf } from '../../../test-kit/model-engine/mess.ts'
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
  lapsesFrom,
  left,
  markedIn,
  RUNS,
  randomOf,
  running,
  seeds,
  shouldRun,
  throughCuts,
  withStranger,
} from '../../../test-kit/model-engine/world.ts'
import { verdictOf } from '../../src/core/deployments/converge/planning/held.ts'
import { putBack, rollout, settle } from '../../src/core/deployments/converge/planning/wanted.ts'

const cases = fc.record({
  seed: seeds,
  one: drawn({ handover: true, modes: true }).map(good),
  two: drawn({ bad: true, handover: true, modes: true }),
  three: drawn({ bad: true, late: true, handover: true, modes: true }),
  mess: messOf,
  cuts: cutsOf,
})

test(
  'from any state that hands and half-done rollouts leave, settling reaches what is written down; no name is left without a healthy task where the order allows it, and then nothing is left to do',
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, one, two, three, mess, cuts }) => {
        const swarm = new Swarm('s1', 'p', randomOf(seed))
        const stranger = withStranger(swarm)
        const active = freeze(one, 'd1', null)
        const releases = [active, freeze(two, 'd2', active), freeze(three, 'd3', null)]
        swarm.audit.forgiving = true
        makeMess(swarm, mess, releases)
        fc.pre(swarm.audit.twoWriters.length === 0)
        swarm.audit.begin()
        const wanted = settle(active)
        const from = { active, wanted, marked: markedIn(swarm), others: releases }
        const { end } = await throughCuts(swarm, wanted, cuts)
        expect(end).toBe('reached')
        expect(running(swarm)).toEqual(shouldRun(active.services))
        expect(swarm.routes.p ?? []).toEqual(active.routes)
        expect(left(swarm, wanted)).toEqual([])
        expect([swarm.audit.twoWriters, lapsesFrom(swarm, from), stranger()]).toEqual([[], [], ''])
      }),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)

test(
  'a rollout from any state ends: each service is on its new form, on its old one or gone, as its fate says; undoing it reaches what was',
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, one, two, three, mess, cuts }) => {
        const swarm = new Swarm('s1', 'p', randomOf(seed))
        const stranger = withStranger(swarm)
        const active = freeze(one, 'd1', null)
        const release = freeze(two, 'd2', active)
        swarm.audit.forgiving = true
        makeMess(swarm, mess, [active, release, freeze(three, 'd3', null)])
        fc.pre(swarm.audit.twoWriters.length === 0)
        swarm.audit.begin()
        const wanted = rollout(release, active, 'd2')
        const from = { active, wanted, marked: markedIn(swarm) }
        const journal = journalOf()
        await throughCuts(swarm, wanted, cuts, journal)
        const verdict = verdictOf(wanted, journal.fates)
        expect(left(swarm, wanted, journal.fates)).toEqual([])
        const kept = keptOf(wanted, journal.fates)
        const lost = Object.entries(journal.fates)
          .filter(([, fate]) => fate === 'lost')
          .map(([name]) => name)
        const now = running(swarm)
        for (const [name, identity] of Object.entries(shouldRun(kept.services)))
          if (!lost.includes(name)) expect([name, now[name]]).toEqual([name, identity])
        if (verdict === 'ready') expect(now).toEqual(shouldRun(release.services))
        const { end } = await bring(swarm, putBack(active, 'failed'))
        expect(end).toBe('reached')
        expect(running(swarm)).toEqual(shouldRun(active.services))
        expect([swarm.audit.twoWriters, lapsesFrom(swarm, from), stranger()]).toEqual([[], [], ''])
      }),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)
