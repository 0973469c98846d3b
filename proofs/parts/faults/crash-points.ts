import { app } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { type Bench, slowBuild } from './bench.ts'
import { type Hold, hold } from './hold.ts'
import { isServing, tasksOf } from './left-behind.ts'
import { type StepRow, stepsOf, untilStep } from './run-rows.ts'

/** What is deployed, and how that must end. */
export type Kind = 'good' | 'crashing' | 'broken build' | 'crashing at first' | 'rollback'

/**
 * A moment of a deployment. `before` is called ahead of it, `at` waits for the moment, `wrong` tells from the journal whether
 * that was the one; what is held is let go by `after`.
 */
export type Point<K extends string = Kind> = {
  name: string
  kind: K
  /** The step of the journal that it belongs to, where it is made from one. */
  step?: string
  before?(bench: Bench): Promise<Hold>
  at(bench: Bench, id: string, project: string, held?: Hold): Promise<unknown>
  wrong?(journal: StepRow[]): string | undefined
}

let version = 1
export const filesOf: Record<Exclude<Kind, 'rollback'>, () => Record<string, string>> = {
  // A build of its own each time, with a step that lasts.
  good: () => slowBuild('1.5', ++version),
  crashing: () => app(`console.error('cannot go on, ${++version}'); process.exit(3)`),
  'broken build': () => slowBuild('1.5', ++version, 'RUN node -e "process.exit(7)"'),
  'crashing at first': () => app(`console.error('cannot begin, ${++version}'); process.exit(4)`),
}

/**
 * Of every step that a journal shows: its start, its middle (begun, and done but not written), and its end. A step that fails
 * is never written as done.
 */
export function pointsOf<K extends string>(kind: K, journal: StepRow[]): Point<K>[] {
  return journal.flatMap(({ name: step, ended: endedAt }, n) => {
    const next = journal[n + 1]?.name
    const fails = endedAt === null
    const called = (moment: string) => `${kind}: ${step} ${moment}`
    const runs = (rows: StepRow[]) => (isRunning(rows, step) ? undefined : `${step} was not running`)
    const begun: Point<K> = {
      name: called('has begun'),
      kind,
      step,
      before: ({ pool }) => hold(pool, step, 'end'),
      at: ({ pool }, id) => untilStep(pool, id, step, 'started'),
      wrong: runs,
    }
    const done: Point<K> = {
      name: called('is done, and not written'),
      kind,
      step,
      before: ({ pool }) => hold(pool, step, 'end'),
      at: (_, __, ___, held) => held?.met() ?? Promise.resolve(),
      wrong: runs,
    }
    const middle = fails ? [] : [done]
    if (next === undefined) return [begun, ...middle]
    const ended: Point<K> = {
      name: called('has ended'),
      kind,
      step,
      before: ({ pool }) => hold(pool, next, 'start'),
      at: (_, __, ___, held) => held?.met() ?? Promise.resolve(),
      wrong: (rows) => {
        if (rows.some(({ name }) => name === next)) return `${next} had begun`
        return fails ? undefined : stillRuns(rows, step)
      },
    }
    return [begun, ...middle, ended]
  })
}

const isRunning = (rows: StepRow[], step: string) => rows.some(({ name, ended }) => name === step && ended === null)
const stillRuns = (rows: StepRow[], step: string) => (isRunning(rows, step) ? `${step} had not ended` : undefined)

/** The steps of a deployment of that kind, in the order in which they began, as a run without any blow shows them. */
export const dryRun = ({ pool }: Bench, id: string): Promise<StepRow[]> => stepsOf(pool, id)

const later = (ms: number) => new Promise((done) => setTimeout(done, ms))

const inRun: Point['at'] = ({ pool }, id) =>
  until('the RUN runs', 60_000, async () => {
    const said = `select 1 from deployment_event where deployment_id = $1 and data::text like '%RUN sleep%'`
    return ((await pool.query(said, [id])).rowCount ?? 0) > 0
  })

const task =
  (wanted: (states: { state: string; serving: boolean }[]) => boolean, laterMs = 0): Point['at'] =>
  async ({ socket }, id, project) => {
    await until(`a task of ${id}`, 60_000, async () => {
      const own = (await tasksOf(socket, project)).filter((one) => one.deployment === id)
      return own.length > 0 && wanted(own.map((one) => ({ state: one.state, serving: isServing(one) })))
    })
    await later(laterMs)
  }
const booting = task((tasks) => tasks.some(({ state }) => state === 'starting'))
const live = (laterMs = 0) => task((tasks) => tasks.some(({ serving }) => serving), laterMs)
const dead = task((tasks) => tasks.some(({ state }) => state === 'failed'))

const inStep =
  (step: string) =>
  (rows: StepRow[]): string | undefined =>
    isRunning(rows, step) ? undefined : `${step} was not running`
const starts =
  (step: string, laterMs = 0): Point['at'] =>
  async ({ pool }, id) => {
    await untilStep(pool, id, step, 'started')
    await later(laterMs)
  }
const good = (name: string, at: Point['at'], step?: string): Point => ({
  name,
  kind: 'good',
  at,
  ...(step && { wrong: inStep(step) }),
})

/** Moments that no journal shows: what the engines do inside of a step. */
export const POINTS: Point[] = [
  good('as rollout starts', starts('rollout'), 'rollout'),
  good('in the middle of a RUN', inRun, 'build'),
  good('as the new container boots', booting, 'rollout'),
  good('as the new version goes live', live(), 'rollout'),
  good('while the engine watches the new version', live(2500)),
  { name: 'a crashing app, when its first container is dead', kind: 'crashing', at: dead, wrong: inStep('rollout') },
  {
    name: 'a crashing app, as undoing the rollout starts',
    kind: 'crashing',
    at: starts('undo:rollout'),
    wrong: inStep('undo:rollout'),
  },
  { name: 'a broken build, in the middle of a RUN', kind: 'broken build', at: inRun, wrong: inStep('build') },
  {
    name: 'a first deployment that crashes, when its container is dead',
    kind: 'crashing at first',
    at: dead,
    wrong: inStep('rollout'),
  },
  {
    name: 'a first deployment that crashes, as it is undone',
    kind: 'crashing at first',
    at: starts('undo:rollout', 100),
    wrong: inStep('undo:rollout'),
  },
  { name: 'a rollback, as the old version goes live', kind: 'rollback', at: live(), wrong: inStep('rollout') },
]
