import { expect, test } from 'vitest'
import type { Wait } from '../blueprint/blueprint.ts'
import { inDependencyOrder } from './in-dependency-order.ts'

const wait = (service: string, required = true): Wait => ({ service, until: 'healthy', required })
const items = (...names: string[]) => names.map((service) => ({ service }))

async function play(names: string[], after: Record<string, Wait[]>, failing: string[] = [], most = 10) {
  const told: string[] = []
  let now = 0
  let peak = 0
  const ends = await inDependencyOrder(items(...names), {
    after,
    most,
    one: async ({ service }) => {
      peak = Math.max(peak, ++now)
      told.push(`+${service}`)
      await new Promise((done) => setTimeout(done, 5))
      told.push(`-${service}`)
      now--
      return { service, came: !failing.includes(service) }
    },
    held: async ({ service }, by) => ({ service, came: false, by }),
  })
  return { told, peak, ends }
}

test('each begins when all it waits for has ended', async () => {
  const { told } = await play(['db', 'job', 'api'], { job: [wait('db')], api: [wait('job'), wait('db')] })
  expect(told).toEqual(['+db', '-db', '+job', '-job', '+api', '-api'])
})

test('those that wait for nobody run side by side, up to the limit', async () => {
  expect((await play(['a', 'b', 'c', 'd'], {}, [], 2)).peak).toBe(2)
  expect((await play(['a', 'b', 'c', 'd'], {})).peak).toBe(4)
})

test('one that waits in vain is held back, and so are those that wait for it', async () => {
  const { ends, told } = await play(['db', 'api', 'web'], { api: [wait('db')], web: [wait('api')] }, ['db'])
  expect(ends).toEqual([
    { service: 'db', came: false },
    { service: 'api', came: false, by: 'db' },
    { service: 'web', came: false, by: 'api' },
  ])
  expect(told).toEqual(['+db', '-db'])
})

test('what is not required keeps nobody back', async () => {
  const { ends } = await play(['mail', 'web'], { web: [wait('mail', false)] }, ['mail'])
  expect(ends.map(({ came }) => came)).toEqual([false, true])
})

test('what one throws is thrown when the others have ended', async () => {
  const ended: string[] = []
  const work = inDependencyOrder(items('bad', 'slow'), {
    after: {},
    most: 2,
    one: async ({ service }) => {
      if (service === 'bad') throw new Error('gone')
      await new Promise((done) => setTimeout(done, 20))
      ended.push(service)
      return { came: true as boolean }
    },
    held: async () => ({ came: false as boolean }),
  })
  await expect(work).rejects.toThrow('gone')
  expect(ended).toEqual(['slow'])
})
