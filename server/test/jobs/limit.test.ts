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
  let held = 0
  let most = 0
  for (const event of events.sort((a, b) => a.at - b.at)) {
    held += event.what === 'start:build' ? 1 : event.what === 'done:build' ? -1 : 0
    most = Math.max(most, held)
  }
  expect(most).toBe(3)
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
