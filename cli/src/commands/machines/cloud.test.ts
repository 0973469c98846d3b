import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../../test/answering.ts'
import { slipway } from '../../../test/run-here.ts'

const CLOUD = { cloudUrl: 'https://cloud.example.com' }
const ASKED = {
  userCode: 'K7QM-4T2X',
  verifyUrl: 'https://cloud.example.com/device',
  expiresAt: '2026-01-31T12:00:00.000Z',
}
const PENDING = { state: 'pending', ...CLOUD, ...ASKED }
const FOLLOWING = { state: 'following', lastNumber: 7, lastAt: '2026-01-31T12:00:00.000Z', since: null }
const LINKED = { state: 'linked', ...CLOUD, organization: { id: 'org_1', name: 'Engine works' } }
let states: object[] = []
let ended: object = {}
const sent: string[] = []
let api: Awaited<ReturnType<typeof answering>>

beforeAll(async () => {
  api = await answering(async ({ method, url }, answer) => {
    sent.push(`${method} ${url}`)
    if (url === '/api/projects/prj_1') return sendJson(answer, { id: 'prj_1', name: 'shop' })
    if (method === 'POST') return sendJson(answer, { ...ASKED, interval: 0 })
    sendJson(answer, method === 'DELETE' ? ended : ((states.length > 1 ? states.shift() : states[0]) ?? {}))
  })
})
afterAll(() => void api.close())
beforeEach(() => {
  sent.length = 0
})

const run = (...argv: string[]) => slipway(['cloud', ...argv], { env: { SLIPWAY_URL: api.url, SLIPWAY_TOKEN: 't' } })

test('link shows the code and where to type it, and waits until somebody has', async () => {
  states = [PENDING, PENDING, LINKED]
  const { code, err } = await run('link')
  expect([code, err]).toEqual([0, expect.stringContaining('K7QM-4T2X')])
  expect(err).toContain('https://cloud.example.com/device')
  expect(err).toContain('Linked to Engine works')
  expect(sent).toEqual(['POST /api/cloud/link', ...Array(3).fill('GET /api/cloud/link')])
})

test('a link that was refused ends the waiting, and says why', async () => {
  states = [PENDING, { state: 'none', ...CLOUD, problem: 'Somebody at the cloud refused the link.' }]
  const { code, err } = await run('link')
  expect([code, err]).toEqual([4, expect.stringContaining('Somebody at the cloud refused the link.')])
})

test('with --no-wait it only begins, and says that somebody has to act', async () => {
  const { code } = await run('link', '--no-wait')
  expect([code, sent]).toEqual([6, ['POST /api/cloud/link']])
})

test('status says how it stands, and by its exit code whether somebody has to act', async () => {
  for (const [state, words, exit] of [
    [LINKED, 'Linked to Engine works', 0],
    [{ ...LINKED, problem: 'It was revoked there.' }, 'It was revoked there.', 6],
    [
      { ...LINKED, relay: FOLLOWING },
      'Pushes from there: come as they happen; the last one was number 7, 31 Jan 2026',
      0,
    ],
    [{ ...LINKED, relay: { ...FOLLOWING, state: 'refused', lastAt: null } }, 'the cloud refuses them', 0],
    [PENDING, 'enter  K7QM-4T2X', 6],
    [{ state: 'none', ...CLOUD }, 'Not linked to https://cloud.example.com.', 0],
    [{ state: 'none', cloudUrl: null }, 'works with no cloud', 0],
  ] as const) {
    states = [state]
    const { code, out } = await run('status')
    expect([code, out]).toEqual([exit, expect.stringContaining(words)])
  }
})

test('unlink asks first, and says what is left to do at a cloud that could not be told', async () => {
  expect((await run('unlink')).code).toBe(2)
  expect(sent.filter((one) => one.startsWith('DELETE'))).toEqual([])
  ended = { success: true, revokedThere: false, hint: 'End it there.' }
  const { code, err } = await run('unlink', '--yes')
  expect([code, err]).toEqual([0, expect.stringContaining('End it there.')])
})

test('promotion says how far it is, and which records have to be changed', async () => {
  const dns = [{ host: 'shop.example.com', type: 'A', now: ['192.0.2.1'], wanted: ['192.0.2.7'] }]
  const one = { deploymentId: 'dep_1', state: 'running', step: 'source', error: null, dns: [] }
  for (const [shown, words, exit] of [
    [one, 'shop running, at source  dep_1', 0],
    [{ ...one, state: 'promoted', dns }, 'shop.example.com  A  192.0.2.1 → 192.0.2.7', 6],
    [{ ...one, state: 'failed', error: { message: 'It ended with 3.', hint: null } }, 'It ended with 3.', 0],
  ] as const) {
    states = [shown]
    const { code, out } = await run('promotion', 'prj_1')
    expect([code, out]).toEqual([exit, expect.stringContaining(words)])
  }
  expect(sent).toContain('GET /api/projects/prj_1/promotion')
})
