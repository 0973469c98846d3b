import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@slipway/contract/client'
import type { Role, Scope } from '@slipway/contract/permissions'
import type { LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { afterAll, expect } from 'vitest'
import { type Config, readConfig } from '../server/src/config.ts'
import { setPassword } from '../server/src/core/access/people-store.ts'
import { hashSecret, newTokenSecret } from '../server/src/core/access/secrets.ts'
import type { Platform } from '../server/src/core/platform.ts'
import { newId } from '../server/src/db/ids.ts'
import { type App, buildApp } from '../server/src/http/app.ts'
import { createMetrics } from '../server/src/http/metrics.ts'
import { wire } from '../server/src/process/wiring.ts'
import { createDatabase } from './database.ts'

export const SECRET_KEY = '8f1c0de27a5b93c4d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8090a1b2c3d'

export type Org = { id: string; name: string; owner: Person }
type Person = { userId: string; orgId: string; role: Role; token: string; api: Api }

/** Calls the app as one credential would; answers carry status and parsed body. */
export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
type Reply = {
  status: number // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: LightMyRequestResponse['headers']
  text: string
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** A whole Slipway on a database of its own, driven in process. One per test file. */
export async function startWorld(overrides: Partial<Config> = {}) {
  const database = await createDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-test-'))
  const environment = {
    SLIPWAY_DATABASE_URL: database.url,
    SLIPWAY_SECRET_KEY: SECRET_KEY,
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_ACME_DIRECTORY: 'off',
  }
  const rate = { perAddress: 1_000_000, perToken: 1_000_000 }
  const config = { ...readConfig(environment), rate, ...overrides }
  const { platform, drain, begin, work, removeEdge, close } = wire(
    config,
    pino({ level: process.env.SLIPWAY_TEST_LOG ?? 'silent' }),
  )
  await begin()
  const app = await buildApp({ platform, logger: pino({ level: 'silent' }), metrics: createMetrics(platform) })
  const audited = watchAudit(app, platform)
  const stop = async () => {
    await app.close()
    await close()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  afterAll(async () => {
    await audited.settle()
    await stop()
    expect(audited.silent, 'writes that left no audit entry').toEqual([])
    expect(rawSentences.get(app) ?? [], 'refusals in the words of the schema library').toEqual([])
  })
  return {
    app,
    platform,
    config,
    database,
    dataDir,
    /** Runs deployments in this process. */
    work,
    /** Asks this process to end, as far as its requests hear of it. */
    drain: () => drain.abort(),
    removeEdge,
    ...people(app, platform),
    session: (person: { userId: string }) => sessionOf(app, platform, person),
    as: (token: string) => apiOf(app, token),
  }
}

/** Every write that succeeds in any test must have left an audit entry, unless its endpoint says why not. */
function watchAudit(app: App, { pool }: Platform) {
  const silent: string[] = []
  const pending: Promise<void>[] = []
  const check = async (route: string, requestId: string) => {
    const found = await pool.query('select 1 from audit where request_id = $1 limit 1', [requestId])
    if (found.rowCount === 0) silent.push(route)
  }
  watchers.set(app, (method, route, status, requestId) => {
    const endpoint = app.endpoints.find((row) => row.method === method && row.path === route)
    if (!endpoint || method === 'GET' || status >= 300 || endpoint.unaudited) return
    pending.push(check(`${method} ${route}`, requestId))
  })
  return { silent, settle: () => Promise.all(pending) }
}

/** What the schema library says when nobody has said it better: no reader should meet it. */
const RAW = /\b(Too (small|big)|Invalid (input|option|string|number|key|ISO|email|URL)|Unrecognized key|, received \w+)/
const rawSentences = new WeakMap<App, string[]>()

function noteRaw(app: App, route: string, error: unknown): void {
  if (typeof error !== 'string' || !RAW.test(error)) return
  rawSentences.set(app, [...(rawSentences.get(app) ?? []), `${route}: ${error}`])
}

type Watcher = (method: string, route: string, status: number, requestId: string) => void
const watchers = new WeakMap<App, Watcher>()

function apiOf(app: App, token: string | null): Api {
  return async (method, path, body, headers = {}) => {
    const raw = Buffer.isBuffer(body)
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: raw ? body : JSON.stringify(body) }),
    })
    const route = app.endpoints.find((row) => row.method === method && matches(row.path, path))?.path ?? path
    const replayed = answer.headers['idempotent-replayed'] === 'true'
    const json = /\bjson\b/.test(String(answer.headers['content-type'] ?? ''))
    const changed = !replayed && !(json && answer.json().created === false)
    if (json) noteRaw(app, `${method} ${route}`, answer.json().error)
    if (changed) watchers.get(app)?.(method, route, answer.statusCode, String(answer.headers['x-request-id']))
    return {
      status: answer.statusCode,
      body: json ? answer.json() : answer.body,
      headers: answer.headers,
      text: answer.body,
    }
  }
}

const matches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0] ?? '')

function people(app: App, { db }: Platform) {
  const person = async (orgId: string, role: Role): Promise<Person> => {
    const userId = newId('usr')
    await db
      .insertInto('person')
      .values({ id: userId, name: `${role} person`, email: `${userId}@example.com` })
      .execute()
    await db.insertInto('member').values({ orgId, userId, role }).execute()
    const token = await tokenFor({ orgId, userId })
    return { userId, orgId, role, token, api: apiOf(app, token) }
  }
  const tokenFor = async (
    owner: { orgId: string; userId: string },
    limits: { scopes?: Scope[] | null; projectId?: string | null; expiresAt?: Date | null } = {},
  ): Promise<string> => {
    const secret = newTokenSecret()
    const { scopes = null, projectId = null, expiresAt = null } = limits
    const { orgId, userId } = owner
    const row = { id: newId('tok'), orgId, userId, name: 'test', hint: 'slp_test', scopes, projectId, expiresAt }
    await db
      .insertInto('token')
      .values({ ...row, hash: hashSecret(secret) })
      .execute()
    return secret
  }
  const org = async (name = 'Test'): Promise<Org> => {
    const id = newId('org')
    await db.insertInto('organization').values({ id, name }).execute()
    return { id, name, owner: await person(id, 'owner') }
  }
  return { org, person, tokenFor }
}

/** Signs a person in; their cookie, and what a browser sends along with a write. */
async function sessionOf(app: App, { db, config, people }: Platform, { userId }: { userId: string }) {
  const password = 'a password for tests'
  await setPassword(db, userId, await people.hashPassword(password))
  const { email } = await db.selectFrom('person').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
  const headers = { origin: config.publicUrl, 'sec-fetch-site': 'same-origin' }
  const answer = await apiOf(app, null)('POST', '/api/auth/sign-in/email', { email, password }, headers)
  return { cookie: String([answer.headers['set-cookie']].flat()[0]).split(';')[0] ?? '', ...headers }
}

/** The typed client on the app, without a socket. */
export function clientOf(app: App, token: string): Client {
  const inProcess: typeof fetch = async (url, init = {}) => {
    const request = new Request(url as URL, init)
    const payload = Buffer.from(await request.arrayBuffer())
    const answer = await app.inject({
      method: request.method as 'GET',
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(payload.length > 0 && { payload }),
    })
    return new Response(answer.rawPayload as never, { status: answer.statusCode })
  }
  return createClient({ url: 'http://slipway.test', token, fetch: inProcess })
}
