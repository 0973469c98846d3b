import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { type ServerProcess, startProcess } from '../../../test-kit/server-process.ts'
import { until } from '../../../test-kit/until.ts'
import { ask, startCallers } from './callers.ts'
import { addOwner } from './owner.ts'

vi.setConfig({ testTimeout: 120_000 })

const DRAIN_MS = 25_000
const projects = { method: 'GET', path: '/api/projects' } as const
let database: TestDatabase
let server: ServerProcess
let token: string

beforeEach(async () => {
  database = await createDatabase()
  token = (await addOwner(database.db)).token
  server = startProcess({ SLIPWAY_DATABASE_URL: database.url })
})

afterEach(async () => {
  await server.end()
  await database.drop()
})

test('a request that is being answered when SIGTERM comes is answered, and the process ends with 0', async () => {
  const url = await server.ready()
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('lock table project in access exclusive mode')
  const asked = Array.from({ length: 10 }, () => ask(undefined, url, token, projects))
  await until('all requests wait for the table', 30_000, async () => {
    const { rows } = await database.pool.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].n === asked.length ? true : undefined
  })
  server.signal('SIGTERM')
  await until('the server says that it stops', 30_000, () => server.said().includes('"stopping"') || undefined)
  expect(server.running()).toBe(true)
  await holder.query('commit')
  holder.release()
  expect((await Promise.all(asked)).map((answer) => answer.status)).toEqual(asked.map(() => 200))
  expect(await server.ended).toEqual({ code: 0, signal: null })
})

test.each([1, 2, 3])('SIGTERM under load drops no request that was accepted (round %i)', async () => {
  const callers = startCallers(await server.ready(), token, 24, (n) =>
    n % 3 > 0 ? projects : { method: 'POST', path: '/api/projects', body: { name: `project ${n}` } },
  )
  await until('load', 60_000, () => callers.answers.length > 500 || undefined)
  const toldAt = performance.now()
  const before = callers.answers.length
  server.signal('SIGTERM')
  const ended = await server.ended
  const took = performance.now() - toldAt
  const answers = await callers.stop()
  console.log(`SIGTERM under load: ended after ${took.toFixed(0)} ms, ${answers.length - before} requests since`)
  expect(answers.filter((answer) => answer.connected && ![200, 201].includes(answer.status))).toEqual([])
  expect(ended).toEqual({ code: 0, signal: null })
  expect(took).toBeLessThan(DRAIN_MS)
})

test('connections that nobody uses do not hold a stop up', async () => {
  const url = new URL(await server.ready())
  const quiet = connect(Number(url.port), url.hostname)
  await once(quiet, 'connect')
  const toldAt = performance.now()
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - toldAt).toBeLessThan(DRAIN_MS / 2)
  quiet.destroy()
})
