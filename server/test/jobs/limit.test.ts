import { afterAll, beforeAll, expect, test } from 'vitest'
import { openYard, type Yard } from './yard.ts'

let yard: Yard
beforeAll(async () => {
  yard = await openYard()
  await Promise.all([yard.inProcess(10), yard.inProcess(10)])
})
afterAll(() => yard.close())

test('never more than n runs hold a name at once, over all workers, and all get their turn in order', async () => {
  const limit = { name: 'build:server', most: 3 }
  const ids: string[] = []
  for (let k = 0; k < 12; k++) ids.push(await yard.submit({ buildMs: 150, limit }))
  for (const id of ids) await yard.untilStatus(id, 'succeeded')
  const events = (await Promise.all(ids.map(yard.effects))).flat().filter((event) => event.what.endsWith(':build'))
  expect(mostAtOnce(events)).toBe(3)
  const first = Math.min(...events.map((event) => event.at))
  const last = Math.max(...events.map((event) => event.at))
  console.log(`12 builds of 150 ms, 3 at once: ${(last - first).toFixed(0)} ms`)
  expect(await yard.query('select 1 from run_limit')).toEqual([])
})

test('another name is not held up, and a cancel ends the waiting', async () => {
  const limit = { name: 'busy', most: 1 }
  const holder = await yard.submit({ buildMs: 600_000, limit })
  await yard.untilEffect(holder, 'start:build')
  const waiting = await yard.submit({ limit })
  await yard.untilEffect(waiting, 'done:detect')
  const other = await yard.submit({ limit: { name: 'free', most: 1 } })
  await yard.untilStatus(other, 'succeeded')
  await yard.cancel(waiting)
  await yard.untilStatus(waiting, 'cancelled')
  expect((await yard.effects(waiting)).map((event) => event.what)).not.toContain('start:build')
  await yard.cancel(holder)
  await yard.untilStatus(holder, 'cancelled')
  expect(await yard.query('select 1 from run_limit')).toEqual([])
})

test('runs that need a place in two lines hold no more of either than there are, and are not called in vain', async () => {
  const inside = { name: 'builds of one', most: 2 }
  const engines = ['engine 1', 'engine 2', 'engine 3']
  const submitted = Array.from({ length: 9 }, (_, k) => engines[k % 3] ?? '')
  const ids: string[] = []
  for (const name of submitted) ids.push(await yard.submit({ buildMs: 1500, limit: { name, most: 1, inside } }))
  for (const id of ids) await yard.untilStatus(id, 'succeeded')
  const effects = await Promise.all(ids.map(yard.effects))
  expect(mostAtOnce(effects.flat())).toBe(2)
  for (const engine of engines) expect(mostAtOnce(effects.filter((_, k) => submitted[k] === engine).flat())).toBe(1)
  const [claimed] = await yard.query<{ most: number }>('select max(fence) as most from run where id = any($1)', [ids])
  expect(claimed?.most).toBeLessThan(12)
  expect(await yard.query('select 1 from run_limit')).toEqual([])
})

test('who has a place in one line and waits in another rests until there is one in both', async () => {
  const inside = { name: 'places of one', most: 1 }
  const first = await yard.submit({ buildMs: 600_000, limit: { name: 'one machine', most: 1, inside } })
  await yard.untilEffect(first, 'start:build')
  const both = await yard.submit({ limit: { name: 'other machine', most: 1, inside } })
  await expect.poll(() => statusOf(both), { timeout: 15_000 }).toBe('parked')
  const between = await yard.submit({ buildMs: 10_000, limit: { name: 'other machine', most: 1 } })
  await yard.untilEffect(between, 'start:build')
  await yard.cancel(first)
  await yard.untilStatus(between, 'succeeded')
  await yard.untilStatus(both, 'succeeded')
  const [claimed] = await yard.query<{ fence: number }>('select fence from run where id = $1', [both])
  // For each place and each end, and not once a second of the ten that it waits.
  expect(claimed?.fence).toBeLessThanOrEqual(8)
})

const statusOf = async (id: string) =>
  (await yard.query<{ status: string }>('select status from run where id = $1', [id]))[0]?.status

function mostAtOnce(events: { what: string; at: number }[]): number {
  let held = 0
  let most = 0
  for (const { what } of events.toSorted((a, b) => a.at - b.at)) {
    held += what === 'start:build' ? 1 : what === 'done:build' ? -1 : 0
    most = Math.max(most, held)
  }
  return most
}
