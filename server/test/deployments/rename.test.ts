import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { connectEngine } from '../../src/drivers/engine/connect.ts'
import { LABEL } from '../../src/drivers/runtime/labels.ts'

const site = await startSite('rename')
const { instance } = site.world.config
const engine = { kind: 'local' as const, socketPath: labPart('engine').socket }
const signal = AbortSignal.timeout(600_000)
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 30_000 })
afterAll(close)

const fs = `const fs = require('fs')`
/** Deaf to SIGTERM, so that it writes to the end of its grace period. */
const WRITER = `process.on('SIGTERM', () => {}); setInterval(() => fs.appendFileSync('/data/beats', 'beat'), 50)`
const FIRST = `${fs}; fs.writeFileSync('/data/first', 'first'); ${WRITER}`
/** Ends at once where the data is not there. */
const NEXT = `${fs}; fs.readFileSync('/data/first'); ${WRITER}`
const FAILING = 'process.exit(3)'
const compose = (name: string, script: string, folder = '/etc') => ({
  'compose.yaml': `
services:
  web:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080", "-h", "${folder}"]
    expose: ["8080"]
  ${name}:
    image: node:24-slim
    command: ["node", "-e", ${JSON.stringify(script)}]
    stop_grace_period: 3s
    volumes: ["data:/data"]
volumes: {data: {}}
`,
})

const containersOf = (project: string) =>
  docker.listContainers({ filters: { label: [`${LABEL.instance}=${instance}`, `${LABEL.project}=${project}`] } })

/** Who had the volume at each look, while something went on. */
function watchWriters(project: string) {
  const done = new AbortController()
  const seen: string[][] = []
  const looking = (async () => {
    for (; !done.signal.aborted; await sleep(25)) {
      const all = await containersOf(project)
      // The project's way in has a volume of its own, and is no service.
      const writers = all.filter(
        ({ Labels, Mounts, State }) =>
          Labels[LABEL.service] && State === 'running' && Mounts.some(({ Type }) => Type === 'volume'),
      )
      seen.push(writers.map(({ Labels }) => Labels[LABEL.service] ?? ''))
    }
  })()
  return async () => {
    done.abort()
    await looking
    return seen
  }
}
const running = async (project: string) =>
  (await containersOf(project)).flatMap(({ Labels }) => Labels[LABEL.service] ?? []).toSorted()
const events = async (id: string) => {
  const { text } = await site.api('GET', `/api/deployments/${id}/logs?format=text`)
  return String(text)
}

test('a service that is renamed keeps its volume to itself: the old one ends before the new one starts, and comes back if that fails', async () => {
  const project = await site.project('data', { bakeSeconds: 0 })
  expect(await site.ended(await site.start(project, compose('db', FIRST)))).toMatchObject({ status: 'ready' })
  const stop = watchWriters(project)

  const second = await site.ended(await site.start(project, compose('database', NEXT)))
  expect(second, JSON.stringify(second.error)).toMatchObject({ status: 'ready' })
  expect(await running(project)).toEqual(['database', 'web'])
  expect(await events(second.id)).toContain('db is stopped first: database takes over the volume data')

  // Nothing else changes: all of it goes back.
  const third = await site.ended(await site.start(project, compose('store', FAILING)))
  expect(third).toMatchObject({ status: 'failed', error: { service: 'store' } })
  expect(await running(project)).toEqual(['database', 'web'])

  // Something else comes up beside it: that may be kept, and then it stays what it was.
  const fourth = await site.ended(await site.start(project, compose('store', FAILING, '/bin')))
  expect(fourth.status).toBe('partial_failure')
  expect(await running(project)).toEqual(['database', 'web'])
  expect((await site.api('POST', `/api/deployments/${fourth.id}/keep`)).status).toBe(202)
  await site.until(fourth.id, (seen) => seen.active)
  expect(await running(project)).toEqual(['database', 'web'])

  const seen = await stop()
  expect(seen.filter((writers) => writers.length > 1)).toEqual([])
  expect([...new Set(seen.flat())]).toEqual(expect.arrayContaining(['db', 'database']))
  expect(seen.length).toBeGreaterThan(100)
}, 400_000)

test('a service that is renamed keeps its port of the server', async () => {
  const project = await site.project('port', { bakeSeconds: 0 })
  const published = site.httpPort + 1
  const compose = (name: string) => ({
    'compose.yaml': `
services:
  ${name}:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080", "-h", "/etc"]
    ports: ["${published}:8080"]
`,
  })
  expect(await site.ended(await site.start(project, compose('one')))).toMatchObject({ status: 'ready' })
  const second = await site.ended(await site.start(project, compose('two')))
  expect(second, JSON.stringify(second.error)).toMatchObject({ status: 'ready' })
  expect((await fetch(`http://${labPart('engine').address}:${published}/hostname`)).status).toBe(200)
  expect(await running(project)).toEqual(['two'])
}, 200_000)
