import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { URGENCY } from '../../src/jobs/enqueue.ts'
import { openYard, type Yard } from './yard.ts'

const LONG = 600_000

let yard: Yard
beforeEach(async () => {
  yard = await openYard()
})
afterEach(() => yard.close())

const whats = async (id: string) => (await yard.effects(id)).map(({ what }) => what)
const resting = (id: string) =>
  until(`${id} rests`, 45_000, async () => {
    const row = await yard.row(id)
    return (row?.status === 'parked' && row.wakeAt !== null) || undefined
  })

test('a run that rests needs no worker, goes on by itself, and its step has lasted since it began', async () => {
  await yard.inProcess(1)
  const long = await yard.submit({ rest: { ms: 1500, workMs: 4000 } })
  await resting(long)
  expect(await yard.jobs(long)).not.toContainEqual({ state: 'active' })
  await yard.untilStatus(await yard.submit(), 'succeeded')
  await yard.untilStatus(long, 'succeeded')
  const looks = (await whats(long)).filter((what) => what === 'look:rollout')
  expect(looks.length).toBeGreaterThanOrEqual(2)
  const [step] = await yard.query<{ ms: number }>(
    `select extract(epoch from ended_at - started_at)::float8 * 1000 as ms from run_step where run_id = $1 and name = 'rollout'`,
    [long],
  )
  expect(step?.ms).toBeGreaterThan(3900)
  expect(await yard.notes(long)).toContain('succeeded')
})

test('it is not parked while something else of it goes on', async () => {
  await yard.inProcess(1)
  const both = await yard.submit({ rest: { ms: 200, workMs: 1500 }, besideMs: 2500 })
  await yard.untilStatus(both, 'succeeded')
  expect((await whats(both)).filter((what) => what === 'start:beside')).toHaveLength(1)
  expect((await yard.row(both))?.fence).toBe(1)
})

test('a cancel finds a run that rests, and what it began is undone, also where the caller would end it', async () => {
  await yard.inProcess(1)
  for (const more of [{}, { endParked: true }]) {
    const id = await yard.submit({ rest: { ms: LONG, workMs: LONG } })
    await resting(id)
    expect(await yard.cancel(id, undefined, more)).toBe('cancelling')
    await yard.untilStatus(id, 'cancelled')
    expect(await whats(id)).toContain('done:undo:rollout')
  }
})

test.each(['cancelled', 'failed'] as const)('what is undone may rest as well, of a run that was %s', async (how) => {
  await yard.inProcess(1)
  const undoRest = { ms: 1500, workMs: 3000 }
  const id = await yard.submit(
    how === 'failed' ? { undoRest, failAt: 'health' } : { undoRest, rest: { ms: LONG, workMs: LONG } },
  )
  if (how === 'cancelled') {
    await resting(id)
    await yard.cancel(id)
    await until('its undo looks', 45_000, async () => (await whats(id)).includes('look:undo:rollout') || undefined)
  }
  await resting(id)
  expect(await yard.jobs(id)).not.toContainEqual({ state: 'active' })
  await yard.untilStatus(await yard.submit(), 'succeeded')
  await yard.untilStatus(id, how)
  const looks = (await whats(id)).filter((what) => what === 'look:undo:rollout')
  expect(looks.length).toBeGreaterThanOrEqual(2)
  expect(looks.length).toBeLessThan(6)
})

test('whoever waits for a place needs no worker, and places go to those who waited longest', async () => {
  await Promise.all([yard.inProcess(1), yard.fork(1)])
  const limit = { name: 'build:server', most: 1 }
  const holder = await yard.submit({ buildMs: LONG, limit })
  await yard.untilEffect(holder, 'start:build')
  const waiting: string[] = []
  for (let n = 0; n < 4; n++) {
    const id = await yard.submit({ limit, buildMs: 20 })
    await resting(id)
    waiting.push(id)
  }
  // The one worker that is left is free for others.
  await yard.untilStatus(await yard.submit(), 'succeeded')
  await yard.cancel(holder)
  for (const id of waiting) await yard.untilStatus(id, 'succeeded')
  const starts = await Promise.all(waiting.map((id) => yard.untilEffect(id, 'start:build')))
  expect(starts.map(({ at }) => at)).toEqual(starts.map(({ at }) => at).toSorted((a, b) => a - b))
  expect(await yard.query('select 1 from run_limit')).toEqual([])
})

test('a place whose holder was killed goes to one that rests for it', async () => {
  const dying = await yard.fork(1)
  const limit = { name: 'build:server', most: 1 }
  const holder = await yard.submit({ buildMs: LONG, limit })
  await yard.untilEffect(holder, 'start:build')
  await yard.inProcess(1)
  const waiting = await yard.submit({ limit })
  await resting(waiting)
  await dying.end('SIGKILL')
  // Taken over, the holder keeps its place; when it ends, the place is passed on.
  await yard.untilEffect(holder, 'start:build', 2)
  expect(await yard.statusOf(waiting)).toBe('parked')
  await yard.cancel(holder)
  await yard.untilStatus(waiting, 'succeeded')
})

test('an end of the worker finds runs that rest where they were', async () => {
  const first = await yard.inProcess(2)
  const id = await yard.submit({ rest: { ms: 1000, workMs: 5000 } })
  await resting(id)
  await first.end()
  await yard.inProcess(2)
  await yard.untilStatus(id, 'succeeded')
})

test('an urgent run that takes its time leaves the place that was reserved for it', async () => {
  await yard.inProcess({ all: 1, perOrg: 1, reserved: [{ least: URGENCY.emergency, slots: 1 }] })
  const long = await yard.submit({ buildMs: LONG })
  await yard.untilEffect(long, 'start:build')
  const slow = await yard.submit({ takesTime: true, buildMs: LONG }, { urgency: 'emergency' })
  await yard.untilEffect(slow, 'done:detect')
  await yard.untilStatus(await yard.submit({}, { urgency: 'emergency' }), 'succeeded')
  expect(await whats(slow)).not.toContain('start:build')
  await yard.cancel(long)
  await yard.untilEffect(slow, 'start:build')
})
