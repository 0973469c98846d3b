import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { slipway } from '../../test/run-here.ts'
import { columns } from './columns.ts'
import { output } from './output.ts'

const NASTY = '\x1b]52;c;eA==\x07\x9b31m\u202e'
let server: Awaited<ReturnType<typeof answering>>

/** A server whose people have names that terminals obey. */
beforeAll(async () => {
  server = await answering((request, answer) => {
    const known = request.headers.authorization === 'Bearer good'
    const organization = { id: 'org_1', name: `Org${NASTY}` }
    const credential = { kind: 'token', id: 'tok_1', projectId: null, expiresAt: null }
    const me = {
      user: { id: 'usr_1', name: `Ann${NASTY}`, email: 'ann@example.com' },
      role: 'owner',
      organization,
      credential,
    }
    const refused = {
      success: false,
      error: `No${NASTY}`,
      code: 'credentials_invalid',
      hint: `Go${NASTY}`,
      requestId: 'r',
    }
    sendJson(answer, known ? me : refused, known ? 200 : 401)
  })
})
afterAll(() => server.close())

const obeyed = (text: string) => [...text].filter((one) => one !== '\n' && /[\p{Cc}\p{Bidi_Control}]/u.test(one))
const as = (token: string) => ({ env: { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: token } })

test('names and messages of others are shown, and the terminal obeys none of them', async () => {
  const good = await slipway(['whoami'], as('good'))
  expect(good.out).toContain('Ann\\x1b]52;c;eA==\\x07\\x9b31m\\u202e <ann@example.com>, owner of Org')
  const json = await slipway(['whoami', '--json'], as('good'))
  expect(json.json().user.name).toBe(`Ann${NASTY}`)
  const bad = await slipway(['whoami', '--json'], as('bad'))
  expect(bad.err).toContain('Go\\x1b]52')
  expect(bad.code).toBe(3)
  const unknown = await slipway(['\x1b[2J'], as('bad'))
  expect(unknown.err).toContain('Unknown command \\x1b[2J.')
  for (const { out, err } of [good, json, bad, unknown]) expect(obeyed(out + err)).toEqual([])
})

test('on a terminal there are colours, and a name cannot bring its own', async () => {
  const painted = await slipway(['whoami'], { ...as('bad'), tty: true })
  expect(painted.err).toContain('\x1b[31m✗\x1b[39m No\\x1b]52')
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: 'true' }]) {
    const plain = await slipway(['whoami'], { env: { ...as('bad').env, ...env }, tty: true })
    expect(obeyed(plain.err)).toEqual([])
  }
})

test('no command prints past the one place that makes text harmless', () => {
  const root = join(import.meta.dirname, '..')
  const allowed = ['show/output.ts', 'main.ts', 'start.ts', 'instance/ask.ts']
  const files = globSync('**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !allowed.includes(file),
  )
  expect(files.length).toBeGreaterThan(40)
  for (const file of files)
    expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/\b(?:stdout|stderr|console)\./)
})

test('columns are aligned by what is seen, colours apart, and long lines of a terminal are cut', () => {
  const written: string[] = []
  const stream = { write: (text: string) => written.push(text), isTTY: true, columns: 10 }
  const out = output({ stdout: stream, stderr: stream, env: {} })
  expect(
    columns([
      [out.paint('red', 'a'), 'x'],
      ['bbb', 'y'],
    ]).map((line) => line.length)[1],
  ).toBe('bbb  y'.length)
  out.live()([`${out.paint('green', '0123456789')}abc`])
  expect(written.join('')).toContain('01234567…\n')
})
