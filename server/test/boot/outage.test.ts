import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PrivatePostgres, privatePostgres } from '../../../test-kit/private-postgres.ts'
import { type ServerProcess, startProcess } from '../../../test-kit/server-process.ts'
import { until } from '../../../test-kit/until.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type Answered, type Callers, startCallers } from './callers.ts'
import { addOwner } from './owner.ts'

const CALLERS = 24
const MOST_MS = 5000
let postgres: PrivatePostgres
let server: ServerProcess
let callers: Callers

beforeAll(async () => {
  postgres = await privatePostgres()
  await postgres.start()
  const { db, close } = openDatabase({ url: postgres.url, connections: 1, onError: () => {} })
  await migrate(db)
  const { token } = await addOwner(db)
  await close()
  server = startProcess({ SLIPWAY_DATABASE_URL: postgres.url })
  callers = startCallers(await server.ready(), token, CALLERS, (n) => {
    if (n % 3 === 0) return { method: 'GET', path: '/api/projects' }
    if (n % 3 === 1) return { method: 'GET', path: '/api/me' }
    return { method: 'POST', path: '/api/projects', body: { name: `project ${n}` } }
  })
})

afterAll(async () => {
  await callers?.stop()
  await server?.end()
  await postgres?.remove()
})

const good = (answer: Answered) => answer.status === 200 || answer.status === 201
const untilGood = (count: number) => {
  const from = callers.answers.length
  return until(`${count} good answers`, 30_000, () =>
    callers.answers.slice(from).filter(good).length >= count ? true : undefined,
  )
}

test.each([
  ['shut down in order', 'SIGINT'],
  ['shut down at once', 'SIGQUIT'],
  ['killed', 'SIGKILL'],
] as const)(
  'PostgreSQL %s and restarted under load: no crash, errors are 503 with Retry-After, recovery under 5 s',
  { timeout: 150_000 },
  async (how, signal) => {
    await untilGood(300)
    const from = callers.answers.length
    await postgres.stop(signal)
    // Stays away long enough to be noticed by every caller.
    await until('every caller is refused', 40_000, () =>
      callers.answers.slice(from).filter((answer) => answer.status === 503).length >= CALLERS * 3 ? true : undefined,
    )
    await postgres.start()
    const backAt = performance.now()
    await untilGood(300)
    const seen = callers.answers.slice(from)
    const refused = seen.filter((answer) => answer.status === 503)
    expect(seen.filter((answer) => !good(answer) && answer.status !== 503)).toEqual([])
    expect(new Set(refused.map((answer) => answer.code))).toEqual(new Set(['database_unavailable']))
    expect(refused.filter((answer) => !/^[1-9]\d*$/.test(answer.retryAfter ?? ''))).toEqual([])
    const slowest = Math.max(...seen.map((answer) => answer.endedAt - answer.startedAt))
    const recovery = Math.max(0, ...refused.map((answer) => answer.endedAt - backAt))
    console.log(
      `PostgreSQL ${how}: ${seen.length} requests, ${refused.length} refused, slowest ${slowest.toFixed(0)} ms, ` +
        `last refusal ${recovery.toFixed(0)} ms after PostgreSQL was back`,
    )
    expect(slowest).toBeLessThan(MOST_MS)
    expect(recovery).toBeLessThan(MOST_MS)
    expect(server.running()).toBe(true)
    const ready = await fetch(`${await server.url()}/readyz`)
    expect([ready.status, await ready.json()]).toMatchObject([200, { ok: true }])
  },
)
