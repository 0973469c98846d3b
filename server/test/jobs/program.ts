import { once } from 'node:events'
import { pino } from 'pino'
import { openDatabase } from '../../src/db/database.ts'
import { openListener } from '../../src/jobs/listener.ts'
import { openTransport } from '../../src/jobs/transport.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { testPipeline } from './pipeline.ts'

/** A worker in a process of its own, for tests that kill, stop and continue it. */
export type Said = { ready: true } | { started: true }

// Nobody is left to ask anything of it.
process.once('disconnect', () => process.exit(1))
const databaseUrl = process.env.SLIPWAY_TEST_DATABASE ?? ''
const log = pino({ level: 'warn' }, pino.destination(2))
const { db, pool, close } = openDatabase({ url: databaseUrl, connections: 8, onError: () => {} })
const listener = openListener({ databaseUrl, log })
const transport = openTransport({ databaseUrl, listener, log })
const slots = JSON.parse(process.env.SLIPWAY_TEST_SLOTS ?? '')
// Loaded and ready, it starts when told to: a test that measures does not measure a process's start.
process.send?.({ ready: true } satisfies Said)
await once(process, 'message')
const pipelines = { test: testPipeline(pool) }
const worker = await startWorker({ db, transport, listener, pipelines, slots, log })
process.once('SIGTERM', async () => {
  await worker.drain()
  await transport.close()
  await listener.close()
  await close()
  process.exit(0)
})
process.send?.({ started: true } satisfies Said)
