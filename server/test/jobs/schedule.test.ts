import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'
import { openDatabase } from '../../src/db/database.ts'
import { startSchedule } from '../../src/jobs/schedule.ts'
import { LeaseLost } from '../../src/jobs/steps.ts'

const log = pino({ level: 'silent' })
const database = await createDatabase()
afterAll(() => database.drop())
const wait = (ms: number) => new Promise((next) => setTimeout(next, ms))

test('recurring work runs in one of three processes at a time, and a failure does not end it', async () => {
  let running = 0
  let most = 0
  let turns = 0
  const job = {
    name: 'sweep',
    everyMs: 60,
    async run() {
      most = Math.max(most, ++running)
      await wait(40)
      running--
      if (++turns === 2) throw new Error('not this time')
    },
  }
  const replicas = [1, 2, 3].map(() => startSchedule({ db: database.db, log, jobs: [job], lookMs: 20 }))
  await until('eight turns', 15_000, () => (turns >= 8 ? true : undefined))
  await Promise.all(replicas.map((replica) => replica.stop()))
  expect(most).toBe(1)
  const after = turns
  await wait(300)
  expect(turns).toBe(after)
})

test('what is due survives a restart, and is not done again before its time', async () => {
  const turns: string[] = []
  const jobs = (who: string) => [{ name: 'daily', everyMs: 86_400_000, run: async () => turns.push(who) }]
  const start = (who: string) => startSchedule({ db: database.db, log, jobs: jobs(who), lookMs: 20 })
  const first = start('first')
  await until('it is known', 20_000, async () => ((await dueIn('daily')) !== undefined ? true : undefined))
  expect(turns).toEqual([])
  await first.stop()
  await database.pool.query(`update schedule set due_at = now() - interval '3 days' where name = 'daily'`)
  const second = start('second')
  await until('it was done', 20_000, async () => ((await dueIn('daily')) ?? 0) > 3600 || undefined)
  await second.stop()
  expect(turns).toEqual(['second'])
  expect(await dueIn('daily')).toBeGreaterThan(0.85 * 86_400)
})

test('work whose process lost the database is taken over, and told to stop where it was', async () => {
  const cut = openDatabase({ url: database.url, connections: 2, onError: () => {} })
  const seen: string[] = []
  const hang = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const run = async (signal: AbortSignal) => {
    seen.push('first starts')
    await hang(signal).catch((error) => {
      seen.push(error instanceof LeaseLost ? 'first stops' : 'first fails')
      throw error
    })
  }
  const options = { log, leaseMs: 3000, lookMs: 30 }
  const first = startSchedule({ ...options, db: cut.db, jobs: [{ name: 'held', everyMs: 50, run }] })
  await until('it runs', 20_000, () => (seen.length > 0 ? true : undefined))
  await cut.close()
  const second = startSchedule({
    ...options,
    db: database.db,
    jobs: [{ name: 'held', everyMs: 3600_000, run: async () => seen.push('second runs') }],
  })
  await until('both', 20_000, () => (seen.length >= 3 ? true : undefined))
  await Promise.all([first.stop(), second.stop()])
  expect(seen.toSorted()).toEqual(['first starts', 'first stops', 'second runs'])
})

test('a lease that a failover gave away again with the same fence is lost to whoever had it first', async () => {
  const seen: string[] = []
  const run = (who: string) => async (signal: AbortSignal) => {
    seen.push(`${who} starts`)
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).catch((error) => {
      seen.push(`${who} stops: ${error.name}`)
      throw error
    })
  }
  const start = (who: string) =>
    startSchedule({
      db: database.db,
      log,
      leaseMs: 6000,
      lookMs: 30,
      jobs: [{ name: 'again', everyMs: 50, run: run(who) }],
    })
  const first = start('first')
  await until('it runs', 20_000, () => (seen.length > 0 ? true : undefined))
  const fence = async () =>
    (await database.pool.query(`select fence from schedule where name = 'again'`)).rows[0]?.fence
  const before = await fence()
  // As a replica says it that has not heard of the lease.
  await database.pool.query(
    `update schedule set fence = fence - 1, claim = null, leased_until = null, due_at = now() where name = 'again'`,
  )
  const second = start('second')
  await until('it runs again', 20_000, () => (seen.length > 1 ? true : undefined))
  expect(await fence()).toBe(before)
  await until('the first is told', 20_000, () => (seen.some((one) => one.endsWith('LeaseLost')) ? true : undefined))
  await Promise.all([first.stop(), second.stop()])
})

async function dueIn(name: string): Promise<number | undefined> {
  const text = 'select extract(epoch from due_at - now())::float8 as seconds from schedule where name = $1'
  return (await database.pool.query(text, [name])).rows[0]?.seconds
}
