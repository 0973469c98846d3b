import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const SCRIPT = 'export const hull = 1\n'
const PAGE = '<!doctype html><title>Slipway</title><script type="module" src="/assets/main-abc.js"></script>'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const dir = mkdtempSync(join(tmpdir(), 'slipway-dashboard-'))
afterAll(() => rmSync(dir, { recursive: true }))
mkdirSync(join(dir, 'dist/assets'), { recursive: true })
const put = (name: string, content: string | Buffer) => writeFileSync(join(dir, name), content)
put('secret.js', 'not of the dashboard')
put('dist/index.html', PAGE)
put('dist/theme.js', 'document.title')
put('dist/build.json', '{}')
put('dist/assets/main-abc.js', SCRIPT)
put('dist/assets/main-abc.js.br', brotliCompressSync(SCRIPT))
put('dist/assets/main-abc.js.gz', gzipSync(SCRIPT))

const world = await startWorld({ dashboardDir: join(dir, 'dist') })
const bare = await startWorld()
const { owner } = await world.org()
const get = (url: string, headers: Record<string, string> = {}, from = world) =>
  from.app.inject({ method: 'GET', url, headers })

describe('the page', () => {
  test('is every address that no route has, asked anew each time', async () => {
    for (const url of ['/', '/deployments', '/deployments/dep_1?tab=log', '/a/b.c', '/index.html']) {
      const answer = await get(url, BROWSER)
      expect([url, answer.statusCode, answer.body]).toEqual([url, 200, PAGE])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-cache')
    }
  })

  test('lets nothing run but what comes from here, and nobody frame it', async () => {
    const { headers } = await get('/', BROWSER)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
        "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
  })

  test('is not sent again to who has it', async () => {
    const { headers } = await get('/', BROWSER)
    const again = await get('/servers', { ...BROWSER, 'if-none-match': String(headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('is told of by HEAD, and by nothing that writes', async () => {
    const head = await world.app.inject({ method: 'HEAD', url: '/', headers: BROWSER })
    expect([head.statusCode, head.headers['cache-control']]).toEqual([200, 'no-cache'])
    const post = await world.app.inject({ method: 'POST', url: '/deployments', headers: BROWSER })
    expect([post.statusCode, post.json().code]).toEqual([404, 'route_not_found'])
  })

  test('is nothing for who reads no pages', async () => {
    const answer = await get('/deployments', { accept: 'application/json' })
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'route_not_found'])
  })

  test('takes the place of the old one behind links to join', async () => {
    expect((await get('/join', BROWSER)).body).toBe(PAGE)
    expect((await get('/join', BROWSER, bare)).body).toContain('Join Slipway')
  })
})

describe('what has a route keeps it', () => {
  test('below /api a miss is told as JSON, whatever is accepted', async () => {
    for (const url of ['/api', '/api/', '/api/nothing', '/api/deployments/dep_1/nothing']) {
      const answer = await get(url, BROWSER)
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 'route_not_found'])
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  test('pages and answers that were there are as they were, and are not kept', async () => {
    expect((await get('/device', BROWSER)).body).toContain('Sign in the command line')
    expect((await get('/api/docs', BROWSER)).body).toContain('/api/projects')
    const health = await get('/healthz', BROWSER)
    expect([health.json().ok, health.headers['cache-control']]).toEqual([true, 'no-store'])
    expect((await owner.api('GET', '/api/projects')).headers['cache-control']).toBe('no-store')
  })
})

describe('files', () => {
  test('with a hash in their name are kept for a year', async () => {
    const { headers, body } = await get('/assets/main-abc.js')
    expect([body, headers['content-type']]).toEqual([SCRIPT, 'text/javascript; charset=utf-8'])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect([headers['x-content-type-options'], headers.vary]).toEqual(['nosniff', 'accept-encoding'])
  })

  test('come compressed as they lie there, in the best way that is taken', async () => {
    const br = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect([br.headers['content-encoding'], String(brotliDecompressSync(br.rawPayload))]).toEqual(['br', SCRIPT])
    const gz = await get('/assets/main-abc.js', { 'accept-encoding': 'br;q=0, gzip' })
    expect([gz.headers['content-encoding'], String(gunzipSync(gz.rawPayload))]).toEqual(['gzip', SCRIPT])
    const plain = await get('/theme.js', { 'accept-encoding': 'br' })
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'document.title'])
  })

  test('that were built are the only ones: no way leads out of their folder, and none to what is no part of it', async () => {
    const tries = ['/../secret.js', '/assets/../../secret.js', '/%2e%2e/secret.js', '/assets/..%2f..%2fsecret.js']
    for (const url of [...tries, '/assets/%00', '//secret.js', '/build.json', '/assets/main-abc.js.br', '/assets/']) {
      const answer = await get(url)
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 'route_not_found'])
    }
  })

  test('of an older build are missed as what they are, and never answered with the page', async () => {
    const answer = await get('/assets/main-old.js', BROWSER)
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'route_not_found'])
  })
})

test('a server without a dashboard says so on one plain page, and works', async () => {
  const answer = await get('/', BROWSER, bare)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(answer.body).toContain('its dashboard was not built')
  expect((await get('/assets/main-abc.js', {}, bare)).json().code).toBe('route_not_found')
  expect((await get('/api/instance', {}, bare)).statusCode).toBe(200)
})
