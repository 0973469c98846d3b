import { app } from '../site.ts'
import { type Bench, slowBuild, within } from './bench.ts'
import { isServing, tasksOf } from './left-behind.ts'
import { untilStep } from './run-rows.ts'

/** What is deployed, and how that must end. */
export type Kind = 'good' | 'crashing' | 'broken build' | 'crashing at first' | 'rollback'
export type Point = { name: string; kind: Kind; at(bench: Bench, id: string, project: string): Promise<unknown> }

let version = 1
export const filesOf: Record<Exclude<Kind, 'rollback'>, () => Record<string, string>> = {
  // A build of its own each time, with a step that lasts.
  good: () => slowBuild('1.5', ++version),
  crashing: () => app(`console.error('cannot go on, ${++version}'); process.exit(3)`),
  'broken build': () => slowBuild('1.5', ++version, 'RUN node -e "process.exit(7)"'),
  'crashing at first': () => app(`console.error('cannot begin, ${++version}'); process.exit(4)`),
}

const starts =
  (step: string, laterMs = 0): Point['at'] =>
  async ({ pool }, id) => {
    await untilStep(pool, id, step, 'started')
    await later(laterMs)
  }
const ends =
  (step: string): Point['at'] =>
  ({ pool }, id) =>
    untilStep(pool, id, step, 'ended')
const later = (ms: number) => new Promise((done) => setTimeout(done, ms))

const inRun: Point['at'] = ({ pool }, id) =>
  within('the RUN runs', 60_000, async () => {
    const said = `select 1 from deployment_event where deployment_id = $1 and data::text like '%RUN sleep%'`
    return ((await pool.query(said, [id])).rowCount ?? 0) > 0
  })

const task =
  (wanted: (states: { state: string; serving: boolean }[]) => boolean, laterMs = 0): Point['at'] =>
  async ({ socket }, id, project) => {
    await within(`a task of ${id}`, 60_000, async () => {
      const own = (await tasksOf(socket, project)).filter((one) => one.deployment === id)
      return own.length > 0 && wanted(own.map((one) => ({ state: one.state, serving: isServing(one) })))
    })
    await later(laterMs)
  }
const booting = task((tasks) => tasks.some(({ state }) => state === 'starting'))
const live = (laterMs = 0) => task((tasks) => tasks.some(({ serving }) => serving), laterMs)
const dead = task((tasks) => tasks.some(({ state }) => state === 'failed'))

const good = (name: string, at: Point['at']): Point => ({ name, kind: 'good', at })
const bad = (name: string, at: Point['at']): Point => ({ name: `a crashing app, ${name}`, kind: 'crashing', at })

/** Every boundary between steps, and the middle of each. */
export const POINTS: Point[] = [
  good('as source starts', starts('source')),
  good('as source has ended', ends('source')),
  good('as build starts', starts('build')),
  good('as the build is prepared', starts('build', 150)),
  good('in the middle of a RUN', inRun),
  good('as build has ended', ends('build')),
  good('as release starts', starts('release')),
  good('in the middle of release', starts('release', 25)),
  good('as release has ended', ends('release')),
  good('as rollout starts', starts('rollout')),
  good('as the new container boots', booting),
  good('as the new version goes live', live()),
  good('while the engine watches the new version', live(2500)),
  good('as rollout has ended', ends('rollout')),
  good('as route starts', starts('route')),
  good('in the middle of route', starts('route', 40)),
  good('as route has ended', ends('route')),
  good('as tidy starts', starts('tidy')),
  good('as tidy has ended', ends('tidy')),
  bad('as rollout starts', starts('rollout')),
  bad('when its first container is dead', dead),
  bad('as undoing the rollout starts', starts('undo:rollout')),
  bad('in the middle of undoing the rollout', starts('undo:rollout', 300)),
  bad('as undoing the rollout has ended', ends('undo:rollout')),
  bad('as undoing the build has ended', ends('undo:build')),
  { name: 'a broken build, in the middle of a RUN', kind: 'broken build', at: inRun },
  { name: 'a broken build, as it is undone', kind: 'broken build', at: starts('undo:build') },
  { name: 'a first deployment that crashes, when its container is dead', kind: 'crashing at first', at: dead },
  {
    name: 'a first deployment that crashes, as it is undone',
    kind: 'crashing at first',
    at: starts('undo:rollout', 100),
  },
  { name: 'a rollback, as its release is taken', kind: 'rollback', at: starts('release') },
  { name: 'a rollback, as the old version goes live', kind: 'rollback', at: live() },
]
