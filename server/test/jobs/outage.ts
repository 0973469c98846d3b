import { expect, type TestContext } from 'vitest'
import { privatePostgres } from '../../../test-kit/private-postgres.ts'
import { until } from '../../../test-kit/until.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openYard } from './yard.ts'

const OUTAGE_MS = 12_000

export async function databaseAway({ onTestFinished }: TestContext): Promise<void> {
  const postgres = await privatePostgres()
  onTestFinished(postgres.remove)
  await postgres.start()
  const { db, close } = openDatabase({ url: postgres.url, connections: 1, onError: () => {} })
  await migrate(db)
  await close()
  const yard = await openYard(postgres.url)
  onTestFinished(yard.close)
  const workers = await Promise.all([yard.fork(), yard.fork()])
  const spanning = await yard.submit({ buildMs: 15_000 })
  const ending = await yard.submit({ buildMs: 4000 })
  const limited = await yard.submit({ buildMs: 4000, limit: { name: 'one', most: 1 } })
  const parked = await yard.submit({ gate: true })
  const runs = [spanning, ending, limited]
  for (const id of runs) await yard.untilEffect(id, 'start:build')
  await yard.untilStatus(parked, 'parked')

  await postgres.stop('SIGINT')
  await new Promise((next) => setTimeout(next, OUTAGE_MS))
  await postgres.start()

  for (const id of runs)
    await until(`${id} is over`, 40_000, () => yard.untilStatus(id, 'succeeded').catch(() => undefined))
  for (const id of runs) {
    const starts = (await yard.effects(id)).filter((event) => event.what.startsWith('start:'))
    expect(starts.map((event) => event.what.slice(6))).toEqual(['fetch', 'detect', 'build', 'rollout', 'health'])
    expect((await yard.notes(id)).filter((note) => note.startsWith('end:'))).toHaveLength(5)
    expect(await yard.row(id)).toMatchObject({ fence: 1 })
  }
  expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null])
  const askedAt = Date.now()
  expect(await yard.respond(parked)).toBe(true)
  const next = await yard.submit()
  const first = await yard.untilEffect(next, 'start:fetch')
  console.log(`after the outage, submit → first step: ${(first.at - askedAt).toFixed(0)} ms`)
  await yard.untilStatus(next, 'succeeded')
  await yard.untilStatus(parked, 'succeeded')
}
