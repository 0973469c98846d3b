import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MONITOR_MS, type ModelSpec } from '../../../test-kit/model-engine/shapes.ts'
import { Swarm } from '../../../test-kit/model-engine/swarm.ts'
import {
  bring,
  cutsOf,
  drawn,
  freeze,
  good,
  having,
  journalOf,
  LONG_MS,
  lapsesFrom,
  left,
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

const any = drawn({ handover: true, modes: true }).map(good)

test(
  'volumes and ports change hands between services in any way, jobs become services and back: good images end ready, rejecting brings all back, and no name is left without a healthy task where the order allows it',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, one: any, two: any, cuts: cutsOf }),
        async ({ seed, one, two, cuts }) => {
          const swarm = new Swarm('s1', 'p', randomOf(seed))
          const stranger = withStranger(swarm)
          const prior = freeze(one, 'd1', null)
          expect((await bring(swarm, rollout(prior, null, 'd1'))).end).toBe('reached')
          const release = freeze(two, 'd2', prior)
          const wanted = rollout(release, prior, 'd2')
          const journal = journalOf()
          await throughCuts(swarm, wanted, cuts, journal)
          expect([verdictOf(wanted, journal.fates), running(swarm)]).toEqual(['ready', shouldRun(release.services)])
          expect(left(swarm, wanted, journal.fates)).toEqual([])
          expect((await throughCuts(swarm, putBack(prior, 'failed'), cuts)).end).toBe('reached')
          expect(running(swarm)).toEqual(shouldRun(prior.services))
          expect(left(swarm, settle(prior))).toEqual([])
          const lapsed = lapsesFrom(swarm, { active: prior, wanted, marked: [] })
          expect([swarm.audit.twoWriters, lapsed, stranger()]).toEqual([[], [], ''])
        },
      ),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)

test(
  'killed while containers end that still have the volume, the next owner waits for their end',
  async () => {
    const base = {
      job: false,
      replicas: 1,
      after: [],
      listens: null,
      order: 'stop-first' as const,
      monitorMs: MONITOR_MS,
    }
    const db = { ...base, service: 'db', deployment: 'd1', specHash: 'v1', ...having(['volume data/']) }
    const web = { ...base, service: 'web', deployment: 'd1', specHash: 'v1', ...having([]) }
    const postgres = { ...db, service: 'postgres', deployment: 'd2', specHash: 'v2' }
    const release = (services: ModelSpec[]) => ({ server: 's1', services, routes: [], networks: [] })
    const prior = release([db, web])
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: seeds, after: fc.nat(4), gone: fc.constantFrom('renamed', 'dropped', 'marked') }),
        async ({ seed, after, gone }) => {
          const swarm = new Swarm('s1', 'p', randomOf(seed))
          await bring(swarm, rollout(prior, null, 'd1'))
          const service = swarm.find('db')
          if (gone === 'dropped' && service) swarm.drop(service.id)
          if (gone === 'marked' && service) service.leaving = true
          const wanted = gone === 'renamed' ? rollout(release([postgres, web]), prior, 'd2') : settle(prior)
          expect((await throughCuts(swarm, wanted, [{ at: 'write', after, late: true }])).end).toBe('reached')
          expect([running(swarm), swarm.audit.twoWriters]).toEqual([shouldRun(wanted.services), []])
        },
      ),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)

test(
  'an engine that is restarted and containers that die at any moment leave nothing that settling does not mend',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: seeds,
          one: any,
          two: drawn({ bad: true, late: true, handover: true }),
          often: fc.constantFrom(0.01, 0.05),
        }),
        async ({ seed, one, two, often }) => {
          const swarm = new Swarm('s1', 'p', randomOf(seed))
          const stranger = withStranger(swarm)
          const prior = freeze(one, 'd1', null)
          await bring(swarm, rollout(prior, null, 'd1'))
          const tick = swarm.tick.bind(swarm)
          swarm.tick = () => {
            tick()
            const all = swarm.chance(often / 5)
            for (const task of swarm.tasks)
              if (task.project === 'p' && task.state === 'running' && (all || swarm.chance(often)))
                Object.assign(task, { state: 'ended', healthy: false, at: swarm.time })
          }
          const journal = journalOf()
          const wanted = rollout(freeze(two, 'd2', prior), prior, 'd2')
          await bring(swarm, wanted, { journal })
          expect(['ready', 'partial', 'failed']).toContain(verdictOf(wanted, journal.fates))
          swarm.tick = tick
          expect((await bring(swarm, settle(prior))).end).toBe('reached')
          expect(running(swarm)).toEqual(shouldRun(prior.services))
          const lapsed = lapsesFrom(swarm, { active: prior, wanted, marked: [] })
          expect([swarm.audit.twoWriters, lapsed, stranger()]).toEqual([[], [], ''])
        },
      ),
      { numRuns: RUNS },
    )
  },
  LONG_MS,
)
