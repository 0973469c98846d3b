import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('ports')

const files = (port: number, last = 'process.on("SIGTERM", () => server.close(() => process.exit(0)))') => ({
  Dockerfile: `FROM node:24-slim\nCOPY . .\nEXPOSE ${port}\nCMD ["node", "server.js"]\n`,
  'server.js': `const server = require('http').createServer((q, r) => r.end('at ${port}')).listen(${port})\n${last}\n`,
})

test('a release that listens on another port takes over without a failed request, and so does its way back', async () => {
  const projectId = await site.project('moving', { bakeSeconds: 0 })
  const ended = async (id: string) => (await site.ended(id)).status
  const first = await site.start(projectId, files(3000))
  expect(await ended(first)).toBe('ready')
  const seen: Record<string, number> = {}
  const done = new AbortController()
  const visits = (async () => {
    for (; !done.signal.aborted; await sleep(25)) {
      const { status, text } = await site
        .ask('moving.ports.test')
        .catch((error) => ({ status: 0, text: String(error) }))
      const what = status === 200 ? text : `${status} ${text}`
      seen[what] = (seen[what] ?? 0) + 1
    }
  })()
  expect(await ended(await site.start(projectId, files(4000)))).toBe('ready')
  // Comes up elsewhere, and ends: the engine goes back, and so do the names.
  expect(await ended(await site.start(projectId, files(5000, 'setTimeout(() => process.exit(3), 1500)')))).toBe(
    'failed',
  )
  const { body } = await site.api('POST', `/api/deployments/${first}/rollback`)
  expect(await ended(body.deployment_id)).toBe('ready')
  await sleep(500)
  done.abort()
  await visits
  expect(Object.keys(seen).filter((what) => !/^at [345]000$/.test(what))).toEqual([])
  expect(seen['at 3000']).toBeGreaterThan(10)
  expect(seen['at 4000']).toBeGreaterThan(10)
}, 180_000)
