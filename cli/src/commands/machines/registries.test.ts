import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, sendJson } from '../../../test/answering.ts'
import { slipway } from '../../../test/run-here.ts'

const one = (id: string, more: object = {}) => ({
  ...{ id, host: 'ghcr.io', path: 'team', username: 'deploy', projectId: null, lastCheckError: null },
  ...{ lastCheckedAt: null, ...more },
})
const all = [
  one('reg_1'),
  one('reg_2', { path: null, lastCheckError: 'No.' }),
  one('reg_3', { path: null, projectId: 'prj_1' }),
]
const sent: { call: string; body: unknown }[] = []
let api: Awaited<ReturnType<typeof answering>>

beforeAll(async () => {
  api = await answering(async (request, answer) => {
    const said = await text(request)
    const { pathname } = new URL(request.url ?? '', 'http://x')
    sent.push({ call: `${request.method} ${pathname}`, body: said === '' ? null : JSON.parse(said) })
    if (pathname.endsWith('/check')) return sendJson(answer, { ok: false, reason: 'It is not taken.' })
    if (pathname === '/api/registries' && request.method === 'GET')
      return sendJson(answer, { data: all, nextCursor: null })
    if (pathname === '/api/projects')
      return sendJson(answer, { data: [{ id: 'prj_1', name: 'shop' }], nextCursor: null })
    sendJson(answer, all.find(({ id }) => pathname.endsWith(id)) ?? all[0])
  })
})
afterAll(() => void api.close())

const run = (argv: string[], stdin = '') => {
  sent.length = 0
  return slipway(argv, { env: { SLIPWAY_URL: api.url, SLIPWAY_TOKEN: 't' }, stdin })
}

test('add takes host and path apart, and the password from standard input without its last line end', async () => {
  const { code, err } = await run(
    ['registries', 'add', 'ghcr.io/team/app', 'deploy', '--password-stdin', '--for', 'shop'],
    'a b\n',
  )
  expect(code, err).toBe(0)
  expect(sent.at(-1)).toEqual({
    call: 'POST /api/registries',
    body: { host: 'ghcr.io', path: 'team/app', username: 'deploy', password: 'a b', projectId: 'prj_1' },
  })
})

test('no password is taken as an argument; without a terminal it says how it is given', async () => {
  const { code, err } = await run(['registries', 'add', 'ghcr.io', 'deploy'])
  expect([code, err]).toEqual([2, expect.stringContaining('--password-stdin')])
  expect((await run(['registries', 'add', 'ghcr.io', 'deploy', 'secret'])).code).toBe(2)
  expect((await run(['registries', 'add', 'ghcr.io', 'deploy', '--password', 'secret'])).code).toBe(2)
  expect(sent).toEqual([])
})

test('one is found by the name it has in names of images, or by its id where there are several', async () => {
  expect((await run(['registries', 'set', 'ghcr.io/team', '--password-stdin'], 'next')).code).toBe(0)
  expect(sent.at(-1)).toEqual({ call: 'PATCH /api/registries/reg_1', body: { password: 'next' } })
  const several = await run(['registries', 'rm', 'ghcr.io', '--yes'])
  expect([several.code, several.err]).toEqual([4, expect.stringContaining('reg_2, reg_3')])
  expect((await run(['registries', 'rm', 'reg_3', '--yes'])).code).toBe(0)
  expect(sent.at(-1)?.call).toBe('DELETE /api/registries/reg_3')
})

test('a check that fails says why, with exit code 6', async () => {
  const { code, out } = await run(['registries', 'check', 'reg_1'])
  expect([code, out]).toEqual([6, expect.stringContaining('It is not taken.')])
})
