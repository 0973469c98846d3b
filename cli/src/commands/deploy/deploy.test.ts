import { mkdir, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../../test/answering.ts'
import { deployment, project } from '../../../test/deployments.ts'
import { newHome, slipway } from '../../../test/run-here.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

const event = (seq: number, name: string, data: object) =>
  `event: ${name}\nid: ${seq}\ndata: ${JSON.stringify(data)}\n\n`

/** An instance that has every content, and whose deployment goes as a test says. */
async function instance(ended: Record<string, unknown>, stream: (answer: ServerResponse) => void) {
  let isOver = false
  server = await answering((request, answer) => {
    request.resume()
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname === '/api/instance')
      return sendJson(answer, {
        version: '0.1.0',
        commit: null,
        mode: 'self_hosted',
        cli: { least: '0.0.0', newest: '9' },
      })
    if (pathname.endsWith('/ensure')) return sendJson(answer, { success: true, created: false, project })
    if (pathname.includes('folder-sessions'))
      return sendJson(answer, { uploadSessionId: 'upl_1', mode: 'local', state: 'open', missing: [] })
    if (pathname.endsWith('/access'))
      return sendJson(answer, { success: true, deployment_id: 'dep_2', project_id: 'prj_1' }, 201)
    if (pathname.endsWith('/cancel'))
      return sendJson(answer, { success: true, deployment: deployment({ status: 'cancelled' }) })
    if (pathname === '/api/deployments')
      return sendJson(answer, { data: [deployment({ id: 'dep_1', number: 1, active: true })], nextCursor: null })
    if (!pathname.endsWith('/stream')) return sendJson(answer, deployment(isOver ? ended : { status: 'building' }))
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    isOver = true
    stream(answer)
  })
  const cwd = await newHome()
  await writeFile(join(cwd, 'index.html'), '<h1>Hello</h1>')
  await writeFile(join(cwd, '.env'), 'SECRET=1')
  return { cwd, env: { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't', HOME: await newHome() } }
}

const toTheEnd = (status: string) => (answer: ServerResponse) =>
  answer.end(
    [
      event(1, 'status', { status: 'building' }),
      event(2, 'log', { line: 'DATABASE_URL is not set' }),
      event(3, 'status', { status }),
      event(4, 'end', { status }),
    ].join(''),
  )

test('a folder goes live: talk on stderr, its address on stdout, exit code 0', async () => {
  const { code, out, err } = await slipway(['deploy'], await instance({}, toTheEnd('ready')))
  expect([code, out]).toEqual([0, 'https://shop.example.com\n'])
  expect(err).toMatch(/shop {2}1 file, 14 B, 1 ignored\n✓ Nothing changed since the last upload/)
  expect(err).toContain('→ #2 dep_2')
  expect(err).toMatch(/✓ building +\d+ ms\n✓ Live after/)
})

test('with --json every line is an object, and the last one is the result', async () => {
  const told = await slipway(['deploy', '--json'], await instance({}, toTheEnd('ready')))
  const lines = told.lines()
  expect(lines.map((line) => line.event)).toEqual(['status', 'log', 'status', 'end', undefined])
  expect(lines.at(-1)).toMatchObject({ success: true, deployment: { id: 'dep_2' }, timing: { blobs: 0 } })
  expect(told.err).toBe('')
})

test('a failure is exit code 5, with why, where it shows, and what still serves', async () => {
  const error = {
    code: 'crashed',
    step: 'rollout:web',
    service: 'web',
    message: 'The service ended with code 1.',
    hint: 'See its log.',
    logSeq: 2,
  }
  const failed = { status: 'failed', error }
  const { code, out, err } = await slipway(['deploy'], await instance(failed, toTheEnd('failed')))
  expect([code, out]).toEqual([5, ''])
  expect(err).toContain(
    '✗ failed in rollout of web: The service ended with code 1.\n  See its log.\n    2 │ DATABASE_URL is not set\n',
  )
  expect(err).toContain('#1 keeps serving https://shop.example.com')
  expect(err).toContain('slipway logs 2 --build --at 2')
  const told = await slipway(['deploy', '--json'], await instance(failed, toTheEnd('failed')))
  expect(told.json()).toMatchObject({ success: false, code: 'crashed', error: 'The service ended with code 1.' })
})

test('one that waits for somebody is exit code 6, with how to answer', async () => {
  const waiting = { status: 'partial_failure', decision: 'pending', waitingOn: { kind: 'decision' } }
  const { code, err } = await slipway(
    ['deploy'],
    await instance(waiting, (answer) => answer.write(event(1, 'decision', { decision: 'pending' }))),
  )
  expect(code).toBe(6)
  expect(err).toContain('slipway keep 2')
  const gate = { status: 'building', waitingOn: { kind: 'prompt', promptId: 'approve_build' } }
  const asked = await slipway(
    ['deploy', '--json'],
    await instance(gate, (answer) => answer.write(event(1, 'prompt', { promptId: 'approve_build' }))),
  )
  expect([asked.code, asked.json().code]).toEqual([6, 'action_required'])
})

test('time that is over is exit code 7, and the deployment goes on', async () => {
  const { code, json, err } = await slipway(
    ['deploy', '--json', '--timeout', '5'],
    await instance({ status: 'building' }, (answer) => answer.write(': quiet\n\n')),
  )
  expect([code, json()]).toMatchObject([7, { success: false, code: 'timeout', deploymentId: 'dep_2' }])
  expect(err).toContain('#2 was not done within 5 s, and goes on.')
  expect(server?.seen.filter((one) => one.endsWith('/cancel'))).toEqual([])
})

test.each([
  ['once leaves it running', false, 0],
  ['twice cancels it after a yes', true, 1],
])('Ctrl-C %s, with exit code 130', async (_, again, cancelled) => {
  const left = new AbortController()
  const at = await instance({ status: 'building' }, () => setTimeout(() => left.abort(), 50))
  const { code, err } = await slipway(['deploy'], {
    ...at,
    tty: true,
    stdin: 'y\n',
    signal: left.signal,
    again: async () => again,
  })
  expect(code).toBe(130)
  expect(err).toContain(again ? '#2 is being stopped.' : '#2 goes on.')
  expect(server?.seen.filter((one) => one.endsWith('/cancel'))).toHaveLength(cancelled)
})

test('a dry run lists what would be sent, and asks nobody', async () => {
  const at = await instance({}, toTheEnd('ready'))
  const { code, json } = await slipway(['deploy', '--dry-run', '--json'], at)
  expect([code, json()]).toMatchObject([0, { dryRun: true, files: [{ path: 'index.html', size: 14 }], ignored: 1 }])
  expect((await slipway(['deploy', '--dry-run', '--include-env'], at)).out).toContain('.env')
  expect(server?.seen).toEqual([])
})

test('a folder that is linked to another instance is refused before anything is sent', async () => {
  const at = await instance({}, toTheEnd('ready'))
  await mkdir(join(at.cwd, '.slipway'))
  await writeFile(
    join(at.cwd, '.slipway/link.json'),
    JSON.stringify({ instance: 'https://other.example.com', projectId: 'prj_9' }),
  )
  const { code, json } = await slipway(['deploy', '--json'], at)
  expect([code, json()]).toMatchObject([
    2,
    { code: 'linked_elsewhere', hint: expect.stringContaining('slipway login https://other.example.com') },
  ])
  expect(server?.seen).toEqual([])
})
