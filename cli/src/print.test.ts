import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const here = import.meta.dirname
const NASTY = '\x1b]52;c;eA==\x07\x9b31m\u202e'

/** A server whose people have names that terminals obey. */
const server = createServer((request, answer) => {
  const known = request.headers.authorization === 'Bearer good'
  answer.writeHead(known ? 200 : 401, { 'content-type': 'application/json' })
  const organization = { id: 'org_1', name: `Org${NASTY}` }
  const me = { user: { id: 'usr_1', name: `Ann${NASTY}`, email: 'ann@example.com' }, role: 'owner', organization }
  const refused = { success: false, error: `No${NASTY}`, code: 'not_authenticated', hint: `Go${NASTY}`, requestId: 'r' }
  answer.end(JSON.stringify(known ? me : refused))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

async function slipway(token: string, ...args: string[]) {
  const env = {
    ...process.env,
    NODE_OPTIONS: '--conditions=slipway-source --disable-warning=ExperimentalWarning',
    SLIPWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SLIPWAY_TOKEN: token,
  }
  const ended = await run(process.execPath, [join(here, 'main.ts'), ...args], { env }).catch((error) => error)
  return { out: String(ended.stdout), err: String(ended.stderr) }
}

const obeyed = (text: string) => [...text].filter((one) => one !== '\n' && /[\p{Cc}\p{Bidi_Control}]/u.test(one))

test('names and messages of others are shown, and the terminal obeys none of them', async () => {
  const good = await slipway('good', 'whoami')
  expect(good.out).toContain('Ann\\x1b]52;c;eA==\\x07\\x9b31m\\u202e <ann@example.com>, owner of Org')
  const json = await slipway('good', 'whoami', '--json')
  expect(JSON.parse(json.out).user.name).toBe(`Ann${NASTY}`)
  const bad = await slipway('bad', 'whoami', '--json')
  expect(bad.err).toContain('Go\\x1b]52')
  const unknown = await slipway('bad', '\x1b[2J')
  expect(unknown.err).toContain('Unknown command \\x1b[2J.')
  for (const { out, err } of [good, json, bad, unknown]) expect(obeyed(out + err)).toEqual([])
})

test('no command prints past the one place that makes text harmless', () => {
  const files = globSync('**/*.ts', { cwd: here }).filter((file) => !file.endsWith('.test.ts') && file !== 'print.ts')
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(readFileSync(join(here, file), 'utf8')).not.toMatch(/\b(?:stdout|stderr|console)\./)
})
