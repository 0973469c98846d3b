import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { transaction } from '../../src/db/database.ts'
import { URGENCY } from '../../src/jobs/enqueue.ts'
import { leastPriority, placeInLine } from '../../src/jobs/place-in-line.ts'
import { openYard, type Yard } from './yard.ts'

const [LOUD, QUIET, OTHER] = ['org_loud', 'org_quiet', 'org_other']
const LONG = 600_000

let yard: Yard
beforeEach(async () => {
  yard = await openYard()
  for (const id of [LOUD, QUIET, OTHER])
    await yard.query('insert into organization (id, name) values ($1, $2)', [id, id])
})
afterEach(() => yard.close())

const many = async (count: number, more: Parameters<Yard['submit']>[1], buildMs = LONG) => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await yard.submit({ buildMs }, more))
  return ids
}
const running = async (orgId: string) =>
  (await yard.query(`select 1 from run where org_id = $1 and status = 'running'`, [orgId])).length
const runningAre = (orgId: string, count: number) =>
  until(`${count} of ${orgId} run`, 45_000, async () => (await running(orgId)) === count || undefined)

test('long runs of one organization leave places to every other, over all workers', async () => {
  await many(30, { orgId: LOUD })
  await Promise.all([
    yard.inProcess({ all: 4, perOrg: 2, reserved: [] }),
    yard.fork({ all: 4, perOrg: 2, reserved: [] }),
  ])
  await runningAre(LOUD, 4)
  for (const orgId of [QUIET, OTHER]) await yard.untilStatus(await yard.submit({}, { orgId }), 'succeeded')
  expect(await running(LOUD)).toBe(4)
})

test('who has the instance for itself has all places', async () => {
  await yard.query('delete from organization where id <> $1', [LOUD])
  await many(6, { orgId: LOUD })
  await yard.inProcess({ all: 5, perOrg: 2, reserved: [] })
  await runningAre(LOUD, 5)
})

test('who comes with one run comes before the second of who came with twenty', async () => {
  const loud = await many(20, { orgId: LOUD }, 20)
  const quiet = await yard.submit({ buildMs: 20 }, { orgId: QUIET })
  await yard.inProcess({ all: 1, perOrg: 1, reserved: [] })
  for (const id of [...loud, quiet]) await yard.untilStatus(id, 'succeeded')
  const rows = await yard.query<{ id: string }>('select id from run order by started_at')
  expect(rows.findIndex(({ id }) => id === quiet)).toBeLessThanOrEqual(1)
  // Each organization's own stay in their order.
  expect(rows.map(({ id }) => id).filter((id) => id !== quiet)).toEqual(loud)
})

test('nobody waits for ever: the last of twenty comes before what is submitted a quarter of an hour later', async () => {
  const loud = await many(20, { orgId: LOUD })
  const place = (lane = '') => transaction(yard.db, (tx) => placeInLine(tx, lane))
  const last = await place(loud.at(-1))
  const now = await yard.submit({}, { orgId: QUIET })
  expect((await place(now)).priority).toBeGreaterThan(last.priority)
  await yard.query(`update run set created_at = now() + interval '15 minutes' where id = $1`, [now])
  expect((await place(now)).priority).toBeLessThan(last.priority)
})

test('one that has begun does not go to the end of the line when it changes hands', async () => {
  const [first = ''] = await many(20, { orgId: LOUD })
  const place = (lane = '') => transaction(yard.db, (tx) => placeInLine(tx, lane))
  const before = await place(first)
  await yard.query(`update run set status = 'running' where id = $1`, [first])
  expect((await place(first)).priority).toBeGreaterThan(before.priority)
})

test('whatever a run’s place in line is, its urgency comes before it', async () => {
  for (const created of ['2025-01-01', '2026-06-01', '2080-01-01']) {
    const priorities = await Promise.all(
      (['usual', 'short', 'emergency'] as const).map(async (urgency) => {
        const id = await yard.submit({}, { orgId: LOUD, urgency })
        await yard.query('update run set created_at = $2 where id = $1', [id, created])
        const { priority } = await transaction(yard.db, (tx) => placeInLine(tx, id))
        return { priority, urgency: URGENCY[urgency] }
      }),
    )
    for (const { priority, urgency } of priorities) {
      expect(priority).toBeGreaterThanOrEqual(leastPriority(urgency))
      expect(priority).toBeLessThan(leastPriority(urgency + 1))
      expect(Math.abs(priority)).toBeLessThan(2 ** 31)
    }
  }
})

const RESERVED = [
  { least: URGENCY.short, slots: 1 },
  { least: URGENCY.emergency, slots: 1 },
]

test('what is short or urgent does not wait for a place of what is long, also of the same organization', async () => {
  await yard.inProcess({ all: 2, perOrg: 2, reserved: RESERVED })
  await many(5, { orgId: LOUD })
  await runningAre(LOUD, 2)
  const short = await yard.submit({}, { orgId: LOUD, urgency: 'short' })
  await yard.untilStatus(short, 'succeeded')
  await many(1, { orgId: OTHER, urgency: 'short' })
  await runningAre(OTHER, 1)
  for (const orgId of [QUIET, LOUD])
    await yard.untilStatus(await yard.submit({}, { orgId, urgency: 'emergency' }), 'succeeded')
  // A usual one gets none of the reserved places, though one is free.
  expect(await running(LOUD)).toBe(2)
})

test('an urgent call brings no long run of its lane into a reserved place', async () => {
  await yard.inProcess({ all: 1, perOrg: 1, reserved: RESERVED })
  await many(1, { orgId: LOUD })
  await runningAre(LOUD, 1)
  const quick = await yard.submit({}, { orgId: QUIET, lane: 'prj_1', urgency: 'short' })
  const behind = await yard.submit({ buildMs: LONG }, { orgId: QUIET, lane: 'prj_1' })
  await yard.untilStatus(quick, 'succeeded')
  // Its calls have all been answered by reserved workers or wait for the others.
  const emergency = await yard.submit({}, { orgId: QUIET, urgency: 'emergency' })
  await yard.untilStatus(emergency, 'succeeded')
  expect(await yard.statusOf(behind)).toBe('queued')
})

test('a cancel is undone at once, though no usual place is free', async () => {
  const cancelled = await yard.submit({ gate: true }, { orgId: QUIET })
  const worker = await yard.inProcess({ all: 1, perOrg: 1, reserved: RESERVED })
  await yard.untilStatus(cancelled, 'parked')
  await many(1, { orgId: LOUD })
  await runningAre(LOUD, 1)
  await yard.cancel(cancelled, QUIET)
  await yard.untilStatus(cancelled, 'cancelled')
  expect(await running(LOUD)).toBe(1)
  await worker.end()
})
