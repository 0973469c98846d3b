import { globSync, readFileSync } from 'node:fs'
import { type Endpoint, MODES } from '@slipway/contract/endpoint'
import { type Areas, endpoints, endpointsIn } from '@slipway/contract/endpoints'
import { ERROR_CODES } from '@slipway/contract/errors'
import { describe, expect, test, vi } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const world = await startWorld()
const cloud = await startWorld({ mode: 'cloud' })
const { owner } = await world.org()
const api = world.as('')

const permissionOf = ({ access }: Endpoint) => ('permission' in access ? access.permission : 'public')
const titleOf = ({ method, path }: Endpoint) => `${method} ${path}`
const titles = (areas: Areas) =>
  Object.values(areas)
    .flatMap((rows) => Object.values(rows).map(titleOf))
    .sort()

describe.each(MODES)('in mode %s', (mode) => {
  const there = mode === 'cloud' ? cloud : world

  test('every endpoint that the contract gives it is served, and nothing else', () => {
    expect(there.app.endpoints.map(titleOf).sort()).toEqual(titles(endpointsIn(mode)))
  })

  test('the OpenAPI document names what is served, with its permission, and nothing else', async () => {
    const { body, status } = await there.as('')('GET', '/api/openapi.json')
    expect([status, body.openapi]).toEqual([200, '3.1.0'])
    const named = Object.entries<Record<string, { 'x-permission': string }>>(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, row]) => [method.toUpperCase(), path, row['x-permission']].join(' ')),
    )
    const served = there.app.endpoints.map((row) =>
      [row.method, row.path.replace(/:(\w+)/g, '{$1}'), permissionOf(row)].join(' '),
    )
    expect(named.sort()).toEqual(served.sort())
  })

  test('a path of the other mode answers 404 and says whose it is', async () => {
    const elsewhere = Object.values<Areas[string]>(endpoints)
      .flatMap((rows) => Object.values(rows))
      .filter(({ only }) => only !== undefined && only !== mode)
    for (const row of elsewhere) {
      const { status, body } = await there.as('')(row.method, row.path.replace(/:\w+/g, 'some'), row.example)
      expect([status, body.code, titleOf(row)]).toEqual([404, 'route_not_found', titleOf(row)])
      expect(body.hint).toBe(`It is a route of ${mode === 'cloud' ? 'self-hosted instances' : 'the hosted cloud'}.`)
    }
  })
})

test('the OpenAPI document resolves every reference', async () => {
  const { body } = await api('GET', '/api/openapi.json')
  const text = JSON.stringify(body)
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(body.components.schemas).toHaveProperty(name ?? '')
  const ids = Object.values(body.paths).flatMap((path) =>
    Object.values(path as object).map((operation) => operation.operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('the page for people shows every route and every error code', async () => {
  const { text, headers } = await api('GET', '/api/docs')
  expect(headers['content-type']).toContain('text/html')
  for (const row of world.app.endpoints) expect(text).toContain(row.path)
  expect(text).toContain('id="error-not_found"')
  expect(text).not.toMatch(/<script|https?:\/\//)
})

test('docs/reference/routes.txt lists the routes that are served, and in which mode', () => {
  const lines = readFileSync('docs/reference/routes.txt', 'utf8').trim().split('\n')
  const rows = new Set([...world.app.endpoints, ...cloud.app.endpoints])
  const served = [...rows].map((row) => [titleOf(row), permissionOf(row), row.only ?? ''].join(' ').trim())
  expect(lines.toSorted()).toEqual(served.sort())
})

test('a stranger is told which version this is, and so is everybody with every answer', async () => {
  const { body, headers } = await api('GET', '/api/instance')
  expect(body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: null,
    mode: 'self_hosted',
    cli: { least: '0.1.0', newest: body.version },
    baseDomain: 'localhost',
  })
  expect(headers['slipway-version']).toBe(body.version)
  expect((await api('GET', '/api/nothing')).headers['slipway-version']).toBe(body.version)
})

test('healthz and readyz answer; readyz says what is wrong', async () => {
  expect((await api('GET', '/healthz')).body.ok).toBe(true)
  const ready = await api('GET', '/readyz')
  expect([ready.status, ready.body.checks.database.ok]).toEqual([200, true])
  await world.platform.pool.query('alter table migration rename to hidden')
  const unready = await api('GET', '/readyz')
  await world.platform.pool.query('drop table if exists migration; alter table hidden rename to migration')
  expect([unready.status, unready.body.ok, unready.body.checks.database.ok]).toEqual([503, false, false])
})

test('readyz tells a data directory that is gone or nearly full, and metrics how much is free', async () => {
  const measured = await startWorld({ metricsToken: 'a-long-metrics-token' })
  const { dataDir } = measured.platform
  const asked = async () => {
    const { status, body } = await measured.as('')('GET', '/readyz')
    return [status, body.checks.dataDirectory]
  }
  const metrics = async () => (await measured.as('a-long-metrics-token')('GET', '/metrics')).text
  expect(await asked()).toEqual([200, { ok: true, detail: expect.any(String) }])
  const { totalBytes } = await dataDir.space()
  expect(await metrics()).toContain(`slipway_data_directory_bytes{state="total"} ${totalBytes}`)
  const space = vi.spyOn(dataDir, 'space').mockResolvedValue({ totalBytes: 1e12, freeBytes: 4e10 })
  expect(await asked()).toEqual([200, { ok: true, detail: expect.stringContaining('nearly full') }])
  space.mockRejectedValue(new Error('ENOENT'))
  expect(await asked()).toEqual([503, { ok: false, detail: expect.stringContaining('mounted') }])
  expect(await metrics()).not.toContain('slipway_data_directory_bytes{state="free"}')
  space.mockRestore()
})

test('metrics are for those with the token; where a request comes from is no credential', async () => {
  expect((await api('GET', '/metrics')).status).toBe(404)
  expect((await owner.api('GET', '/metrics')).status).toBe(404)
  const guarded = await startWorld({ metricsToken: 'a-long-metrics-token' })
  const asked = (token: string) => guarded.as(token)('GET', '/metrics')
  expect((await asked('')).status).toBe(404)
  expect((await asked('a-long-metrics-tokex')).status).toBe(404)
  await guarded.as('')('GET', '/healthz')
  const shown = await asked('a-long-metrics-token')
  expect(shown.text).toContain(
    'slipway_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}',
  )
})

test('every error code is one that the server really gives', () => {
  const sources = globSync('server/src/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const unused = Object.keys(ERROR_CODES).filter((code) => !sources.some((text) => text.includes(`'${code}'`)))
  expect(unused).toEqual([])
})
