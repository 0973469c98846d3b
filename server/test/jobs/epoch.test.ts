import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { openEpoch } from '../../src/db/epoch.ts'
import { readIdentity } from '../../src/db/identity.ts'
import { openListener } from '../../src/jobs/listener.ts'
import { openTransport } from '../../src/jobs/transport.ts'
import { openYard } from './yard.ts'

const log = pino({ level: 'silent' })
const yard = await openYard()
afterAll(() => yard.close())

const ONE = { all: 1, perOrg: 1, reserved: [] }

test('a call that was in hand when the database became another one is not ended there: it may be in other hands', async () => {
  const epoch = openEpoch()
  const now = await readIdentity(yard.pool)
  epoch.begin(now)
  const listener = openListener({ databaseUrl: yard.url, log })
  const transport = openTransport({ databaseUrl: yard.url, listener, log, epoch })
  const { promise: keepUntilLastAnswer, resolve } = Promise.withResolvers<void>()
  let held = 0
  const work = await transport.work(ONE, async () => {
    held += 1
    await keepUntilLastAnswer
  })
  const lane = await yard.submit()
  await until('it is in hand', 30_000, () => (held > 0 ? true : undefined))
  expect(await yard.jobs(lane)).toEqual([{ state: 'active' }])
  const promoted = { query: async () => ({ rows: [rowOf(now.database, (now.timeline ?? 0) + 1)] }) }
  await epoch.look(promoted)
  resolve()
  await work.stop()
  expect(await yard.jobs(lane)).toEqual([{ state: 'active' }])

  // What answers is the real one again; it begins anew by itself.
  await epoch.look(yard.pool)
  const next = await yard.submit()
  let taken: string | undefined
  const again = await transport.work(ONE, async (call) => {
    taken = call.lane
  })
  await until('the next call is taken', 30_000, () => (taken === next ? true : undefined))
  await again.stop()
  expect(await yard.jobs(next)).toEqual([{ state: 'completed' }])
  await transport.close()
  await listener.close()
}, 90_000)

function rowOf(identity: string, timeline: number) {
  const [system, database, table] = identity.split('/')
  const wal = `${timeline.toString(16).padStart(8, '0')}0000000000000001`
  return { system, database, table, wal, flushed: String(2n ** 60n) }
}
