import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '@slipway/contract/endpoint'
import type { InjectOptions } from 'fastify'
import { readConfig } from '../../server/src/config.ts'
import * as idempotency from '../../server/src/core/idempotency/store.ts'
import type { Platform } from '../../server/src/core/platform.ts'
import * as uploads from '../../server/src/core/uploads/store.ts'
import * as sweeps from '../../server/src/core/uploads/sweep-store.ts'
import { notFound } from '../../server/src/errors.ts'
import { type App, buildApp } from '../../server/src/http/app.ts'
import { createMetrics } from '../../server/src/http/metrics.ts'
import { createLogger, wire } from '../../server/src/process/wiring.ts'
import { exampleRequest } from '../../server/test/matrix/places.ts'
import type { TestDatabase } from '../../test-kit/database.ts'
import { SECRET_KEY } from '../../test-kit/server-process.ts'
import { codeOf, secretOf, sizesFor } from './scale-data.ts'
import { existing } from './scale-ids.ts'
import { HEAD } from './scale-rows.ts'
import { type Sent, sentDuring } from './scale-sent.ts'

type Headers = Record<string, string>
type Caller = { orgId: string; headers: Headers }
type Label = (route: string | null) => void

const PASSWORD = 'correct horse battery'
const DEEP = 200
export const UPKEEP = 'upkeep'

/** Asks every route of the app as several callers, and returns every statement that the database was sent for it. */
export async function driveEverything(database: TestDatabase, deployments: number): Promise<Sent[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-scale-'))
  const config = readConfig({
    SLIPWAY_DATABASE_URL: database.url,
    SLIPWAY_SECRET_KEY: SECRET_KEY,
    SLIPWAY_ACME_DIRECTORY: 'off',
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_RATE_PER_ADDRESS: '100000000',
    SLIPWAY_RATE_PER_TOKEN: '100000000',
    SLIPWAY_STREAMS_PER_TOKEN: '100000000',
  })
  const logger = createLogger('silent')
  const wired = wire(config, logger)
  await wired.begin()
  // What was generated was never sealed. To whoever expects a release it is one.
  const keys = {
    ...wired.platform.keys,
    open: () => JSON.stringify({ services: [], after: {}, ports: {}, networks: [] }),
  }
  const platform: Platform = { ...wired.platform, keys, engines: noEngine(), runtime: noEngine() }
  const app = await buildApp({ platform, logger, metrics: createMetrics(platform) })
  try {
    return await sentDuring(database.name, async (label) => {
      // An owner, a developer and a token for one project in the large organization; the old one; and ordinary ones.
      const chosen = [0, 1, 2, HEAD, ...Array.from({ length: 12 }, (_, n) => sizesFor(deployments).tokens - 2 - n)]
      const callers = await Promise.all(chosen.map((n) => token(database, n)))
      callers.push(await session(app, platform, label))
      for (const caller of callers) await readEverything(app, database, caller, label)
      const [owner] = callers
      if (owner) await writeEverything(app, database, owner, label)
      await upkeep(platform, callers, label)
    })
  } finally {
    await app.close()
    await wired.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Whatever is asked of an engine fails at once: none of it is about the database. */
const noEngine = <T extends object>(): T =>
  new Proxy(() => {}, {
    get: (_, name) => (name === 'then' ? undefined : noEngine()),
    apply: () => {
      throw notFound('engine')
    },
  }) as unknown as T

async function token({ pool }: TestDatabase, n: number): Promise<Caller> {
  const { rows } = await pool.query(`select org_id from token where hash = sha256($1::bytea)`, [secretOf(n)])
  return { orgId: rows[0].org_id, headers: { authorization: `Bearer ${secretOf(n)}` } }
}

async function session(app: App, { pool, people, config }: Platform, label: Label): Promise<Caller> {
  const hash = await people.hashPassword(PASSWORD)
  const { rows } = await pool.query(
    `update credential set password = $1 from person, member where person.email = 'person0@example.com'
       and credential.user_id = person.id and member.user_id = person.id and role = 'owner' returning org_id`,
    [hash],
  )
  label('POST /api/auth/sign-in/email')
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    headers: { origin: config.publicUrl },
    payload: { email: 'person0@example.com', password: PASSWORD },
  })
  label(null)
  if (answer.statusCode !== 200) throw new Error(`could not sign in: ${answer.body}`)
  const cookie = answer.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
  return { orgId: rows[0].org_id, headers: { cookie, origin: config.publicUrl } }
}

async function readEverything(app: App, database: TestDatabase, caller: Caller, label: Label): Promise<void> {
  for (const endpoint of app.endpoints.filter((row) => row.method === 'GET')) {
    const ask = async (url: string, note = true) => {
      if (note) label(`${endpoint.method} ${endpoint.path}`)
      const answer = await injectBriefly(app, endpoint, { method: 'GET', url, headers: caller.headers })
      label(null)
      if (!answer) return {}
      if (answer.json?.code === 'internal') throw new Error(`GET ${url}: ${answer.status}`)
      return answer.json ?? {}
    }
    await ask(exampleRequest(endpoint).url)
    for (const ids of await existing(database, caller.orgId, endpoint)) {
      const { url } = exampleRequest(endpoint, ids)
      const first = await ask(url)
      if (endpoint.query === undefined || !('cursor' in endpoint.query.shape)) continue
      for (const name of Object.keys(endpoint.query.shape).filter((key) => key !== 'limit' && key !== 'cursor')) {
        for (const value of [first.data?.[0]?.[name] ?? 'x', 'nothing-like-it']) {
          await ask(`${url}?${name}=${encodeURIComponent(value)}`)
        }
      }
      let cursor = first.nextCursor
      for (let page = 0, next = cursor; next && page < DEEP; page++) {
        cursor = next
        next = (await ask(`${url}?limit=200&cursor=${cursor}`, false)).nextCursor
      }
      if (cursor) await ask(`${url}?cursor=${cursor}`)
    }
  }
}

/** An event stream may have no end: what it asks at its beginning is enough. */
async function injectBriefly(app: App, { response }: Endpoint, request: InjectOptions) {
  const endless = 'stream' in response && response.stream === 'text/event-stream'
  const asked = app.inject({ ...request, ...(endless && { signal: AbortSignal.timeout(200) }) })
  const answer = endless ? await asked.catch(() => null) : await asked
  if (!answer) return null
  const json = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, json: json ? answer.json() : null }
}

/** Statements of writes are looked at but not timed; what they look up first is. */
async function writeEverything(app: App, database: TestDatabase, caller: Caller, label: Label): Promise<void> {
  const writes = app.endpoints.filter((row) => row.method !== 'GET')
  for (const endpoint of writes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))) {
    const sample = [{}, ...(await existing(database, caller.orgId, endpoint)).slice(0, 2)]
    for (const [n, ids] of sample.entries()) {
      const { url, body, headers } = exampleRequest(endpoint, ids)
      const payload = Buffer.isBuffer(body) ? body : body && JSON.stringify({ ...body, ...proper(body, n) })
      label(`${endpoint.method} ${endpoint.path}`)
      await app.inject({
        method: endpoint.method,
        url,
        headers: {
          ...(payload && { 'content-type': 'application/json' }),
          ...headers,
          ...(!url.startsWith('/api/auth') && caller.headers),
          'idempotency-key': `scale-${n}`,
        },
        ...(payload && { payload }),
      })
      label(null)
    }
  }
}

/** What an example cannot know: a code and an address that exist. */
function proper(body: object, n: number): object {
  return {
    ...('code' in body && { code: codeOf(n) }),
    ...('email' in body && 'password' in body && { email: `person${n}@example.com` }),
  }
}

/** What runs without being asked. */
async function upkeep({ db, tokenUse }: Platform, callers: Caller[], label: Label): Promise<void> {
  label(UPKEEP)
  await tokenUse.flush()
  await idempotency.removeOld(db, 1)
  await uploads.deleteExpired(db, 1)
  await sweeps.takeDue(db)
  for (const { orgId } of callers) await sweeps.findUnused(db, orgId, 100)
  label(null)
}
