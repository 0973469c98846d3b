import { sql } from 'kysely'
import { expect, type TestContext } from 'vitest'
import { createDatabase } from '../../../test-kit/database.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { HEARTBEAT_SECONDS } from '../../src/jobs/transport.ts'

const GRACE_SECONDS = 10

/** What a stopped process had under way is no write to a run that it owns: a place in line, an event, a lock of the whole instance. */
export async function silentTransaction({ onTestFinished }: TestContext): Promise<void> {
  const { db, url, close } = await createDatabase()
  onTestFinished(close)
  const stopped = openDatabase({ url, connections: 1, onError: () => {} })
  onTestFinished(stopped.close)
  const lock = sql`select pg_advisory_xact_lock(1)`
  const holding = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<void>()
  const silent = transaction(stopped.db, async (tx) => {
    await lock.execute(tx)
    holding.resolve()
    await woken.promise
    await lock.execute(tx)
  })
  await holding.promise
  const since = performance.now()
  await transaction(db, (tx) => lock.execute(tx))
  expect(performance.now() - since).toBeLessThan((HEARTBEAT_SECONDS + GRACE_SECONDS) * 1000)
  woken.resolve()
  await expect(silent).rejects.toThrow()
}
