import { expect, test } from 'vitest'
import { app, GOOD, startSite } from './site.ts'

const site = await startSite('truth')

const BAD: [name: string, files: Record<string, string>, code: string, step: string][] = [
  ['ends at once', app(`console.error('cannot find the database'); process.exit(3)`), 'crashed', 'rollout'],
  ['never listens', app(`setInterval(() => {}, 1000)`), 'unhealthy', 'rollout'],
  [
    'listens on another port',
    app(`require('node:http').createServer((q, r) => r.end()).listen(9999)`),
    'unhealthy',
    'rollout',
  ],
  [
    'takes more memory than it may',
    app(`const all = []; setInterval(() => all.push(Buffer.alloc(64e6, 1)), 20)`),
    'out_of_memory',
    'rollout',
  ],
  [
    'has a broken Dockerfile',
    { Dockerfile: 'FROM node:24-slim\nRUN node -e "process.exit(7)"\n' },
    'build_failed',
    'build',
  ],
  ['has nothing to build', { 'notes.txt': 'hello' }, 'nothing_to_build', 'build'],
]

test.concurrent.each(BAD)(
  'an application that %s fails in the right words, and the previous release keeps serving',
  async (name, files, code, step) => {
    const called = name.replaceAll(' ', '-')
    const projectId = await site.project(called)
    const good = await site.ended(await site.start(projectId, app(GOOD)))
    expect(good, JSON.stringify(good.error)).toMatchObject({ status: 'ready', active: true })
    const seen = await site.ended(await site.start(projectId, files))
    expect([seen.status, seen.error?.code, seen.error?.step]).toEqual(['failed', code, step])
    expect(seen.error?.hint).toBeTruthy()
    expect(await site.ask(`${called}.truth.test`)).toEqual({ status: 200, text: 'version 1' })
    expect(await site.show(good.id)).toMatchObject({ status: 'ready', active: true })
  },
  240_000,
)

test('a first deployment that fails leaves nothing behind', async () => {
  const projectId = await site.project('nothing')
  const seen = await site.ended(await site.start(projectId, app('process.exit(1)')))
  expect(seen).toMatchObject({ status: 'failed', active: false })
  const target = { kind: 'local' as const, socketPath: site.world.config.localEngine ?? '' }
  expect(await site.world.platform.runtime.observe(target, projectId, { signal: AbortSignal.timeout(10_000) })).toEqual(
    [],
  )
}, 120_000)

test('a secret that the application prints is not stored', async () => {
  const projectId = await site.project('leaky')
  const secret = 'leaky-s3cr3t-value'
  await site.api('PUT', `/api/projects/${projectId}/variables`, { variables: [{ name: 'SECRET', value: secret }] })
  const shout = `console.error(process.env.SECRET, Buffer.from('x:' + process.env.SECRET).toString('base64')); process.exit(1)`
  const seen = await site.ended(await site.start(projectId, app(shout)))
  const events = await site.world.platform.pool.query('select data from deployment_event where deployment_id = $1', [
    seen.id,
  ])
  const stored = JSON.stringify(events.rows)
  expect(stored).toContain('•••')
  expect(stored).not.toContain(secret)
  expect(stored).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12))
}, 120_000)
