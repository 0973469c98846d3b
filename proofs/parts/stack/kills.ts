import type { Pool } from 'pg'
import type { RunningServer } from '../../../test-kit/built-server.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { pidOf, runRow, stepsOf } from '../faults/run-rows.ts'
import { type Begun, conclude, type Lane } from './case.ts'
import { race } from './decision.ts'
import type { Choice, Faults } from './model.ts'

/** When the process that carries out a decision is killed: at once with all others, or in a step, and so long after it began. */
export type Moment = { name: string; choice: Choice; faults: Faults } & (
  | { at: 'once' }
  | { step: string; laterMs?: number }
)

export const MOMENTS: Moment[] = [
  { name: 'all processes, as it is heard', choice: 'keep', faults: { web: 'start' }, at: 'once' },
  { name: 'all processes, as it is heard', choice: 'reject', faults: { migrate: 'start' }, at: 'once' },
  { name: 'in the step keep', choice: 'keep', faults: { api: 'start', cache: 'start' }, step: 'keep' },
  { name: 'as undoing starts', choice: 'reject', faults: { worker: 'start' }, step: 'undo:' },
  { name: 'in the step route', choice: 'keep', faults: { migrate: 'start' }, step: 'route' },
  { name: 'in the middle of undoing', choice: 'reject', faults: { web: 'start' }, step: 'undo:', laterMs: 700 },
  { name: 'in the step retire', choice: 'keep', faults: { db: 'start' }, step: 'retire' },
  { name: 'in the middle of undoing', choice: 'reject', faults: { cache: 'start' }, step: 'undo:', laterMs: 2500 },
  { name: 'in the step tidy', choice: 'keep', faults: { worker: 'start', api: 'start' }, step: 'tidy' },
  { name: 'as the release is undone', choice: 'reject', faults: { api: 'start' }, step: 'undo:release' },
]

const isAlive = ({ child }: RunningServer) => child.exitCode === null && child.signalCode === null

/** Two processes; whoever has the decision in hand dies in the middle of it. It ends as if nobody had. */
export async function killDuring(lane: Lane, begun: Begun, moment: Moment, pool: Pool) {
  const { site } = lane.stack
  const decision = await race(lane.stack, begun.id, [moment.choice])
  const hit = await strike(site, pool, begun.id, moment)
  while (site.replicas.filter(isAlive).length < 2) await site.start()
  return { hit, wrong: [...begun.wrong, ...decision.wrong, ...(await conclude(lane, begun, decision))] }
}

/** Whether it met a run that was not over, and whoever had it in hand. */
async function strike(site: Site, pool: Pool, id: string, moment: Moment): Promise<boolean> {
  if ('at' in moment) {
    await Promise.all(site.replicas.filter(isAlive).map((one) => one.stop('SIGKILL')))
  } else {
    await begins(pool, id, moment.step)
    await new Promise((go) => setTimeout(go, moment.laterMs ?? 0))
    const row = await runRow(pool, id)
    const owner = row && site.replicas.find((one) => one.pid === pidOf(row) && isAlive(one))
    if (!owner) return false
    await owner.stop('SIGKILL')
  }
  const row = await runRow(pool, id)
  return row !== undefined && !OVER.has(row.status)
}

const OVER = new Set(['succeeded', 'failed', 'cancelled'])
const BEGINS_MS = 60_000

/** As soon as it is written down that a step of that name has begun: some last only milliseconds. */
async function begins(pool: Pool, id: string, step: string): Promise<void> {
  const has = async () =>
    (await stepsOf(pool, id)).some(({ name }) => name.startsWith(step)) ||
    OVER.has((await runRow(pool, id))?.status ?? '')
  await until(`${step} of ${id} begins`, BEGINS_MS, has, { everyMs: 3 })
}
