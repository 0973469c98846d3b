import { request } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from '../../../../test-kit/until.ts'
import { newId } from '../../../src/db/ids.ts'
import { end, firstFault, line, parsed, store } from '../../deployments/made.ts'
import { cloudProject, link, linkedWorlds, shownAs, startHome, stub } from './linked.ts'
import { startStandIn } from './stand-in.ts'

const { cloud, here, org, deploy } = await linkedWorlds({ streamsPerToken: 8 })
const url = await here.app.listen({ port: 0, host: '127.0.0.1' })

/** An app that closes waits for them. */
const open = new Set<Reader>()
afterAll(() => {
  for (const reader of open) reader.leave()
})

type Reader = { text: string; over: boolean; status: number; leave(): void }
/** A reader on a socket of its own, of this instance. */
function read(path: string, headers: Record<string, string> = {}, token = org.owner.token): Reader {
  const reader: Reader = { text: '', over: false, status: 0, leave: () => asked.destroy() }
  const asked = request(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } }, (answer) => {
    reader.status = answer.statusCode ?? 0
    answer.setEncoding('utf8').on('data', (text: string) => {
      reader.text += text
    })
    answer
      .on('error', () => {})
      .on('close', () => {
        reader.over = true
      })
  })
  asked.on('error', () => {
    reader.over = true
  })
  asked.end()
  open.add(reader)
  return reader
}
const append = async (id: string, texts: string[]) => {
  await store(
    cloud,
    id,
    texts.map((text) => line(text)),
  )
  cloud.platform.changes.send(id)
}
const finish = async (id: string) => {
  const ended = { status: 'ready', finishedAt: new Date() } as const
  await cloud.platform.db.updateTable('deployment').set(ended).where('id', '=', id).execute()
  await store(cloud, id, [end()])
  cloud.platform.changes.send(id)
}
const has = (reader: Reader, text: string) => until(text, 10_000, () => reader.text.includes(text))

/** What listens in the cloud for viewers: connections that are in use. */
const inUse = () => new Promise<number>((done) => cloud.app.server.getConnections((_, count) => done(count)))

test('events come through while they happen, and the stream ends with its last one', async () => {
  const { id } = await deploy()
  const reader = read(`/api/deployments/${id}/stream`)
  for (const word of ['one', 'two', 'three']) {
    await append(id, [word])
    await has(reader, word)
    expect(reader.over).toBe(false)
  }
  await finish(id)
  await until('the stream ends', 10_000, () => reader.over)
  const seen = parsed(reader.text)
  expect([firstFault(seen), seen.length, seen.at(-1)?.event]).toEqual([undefined, 4, 'end'])
})

test.each([
  ['?since=', (seq: number) => [`?since=${seq}`, {}] as const],
  ['Last-Event-ID', (seq: number) => ['', { 'last-event-id': String(seq) }] as const],
])('a reader that comes back with %s misses nothing and sees nothing twice', async (_, how) => {
  const { id } = await deploy()
  await append(id, ['a', 'b'])
  const first = read(`/api/deployments/${id}/stream`)
  await append(id, ['c'])
  await has(first, '"c"')
  first.leave()
  await append(id, ['d', 'e'])
  const had = parsed(first.text)
  const [query, headers] = how(had.at(-1)?.id ?? 0)
  const second = read(`/api/deployments/${id}/stream${query}`, headers)
  await append(id, ['f'])
  await finish(id)
  await until('the stream ends', 10_000, () => second.over)
  const all = [...had, ...parsed(second.text)]
  expect(firstFault(all)).toBeUndefined()
  expect(all.flatMap(({ data }) => data.line ?? [])).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a reader who leaves closes the stream there as well', async () => {
  const { id } = await deploy()
  await append(id, ['here'])
  const before = await inUse()
  const reader = read(`/api/deployments/${id}/stream`)
  await has(reader, 'here')
  expect(await inUse()).toBeGreaterThan(before)
  reader.leave()
  await until('the cloud has let it go', 10_000, async () => (await inUse()) <= before)
})

test('a log as text comes through whole, however long it is', async () => {
  const { id } = await deploy({ ended: new Date() })
  const wide = 'x'.repeat(8000)
  for (let n = 0; n < 5; n++)
    await store(
      cloud,
      id,
      Array.from({ length: 500 }, (_, of) => line(`${n}-${of} ${wide}`)),
    )
  const { text } = await org.owner.api('GET', `/api/deployments/${id}/logs?format=text`)
  expect(text.length).toBeGreaterThan(16 * 1024 * 1024)
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/^4-499 /)
})

test('streams of the cloud count among those that a token may have open', async () => {
  const { id } = await deploy()
  await append(id, ['here'])
  const token = await here.tokenFor(org.owner)
  const most = here.config.streamsPerToken
  const readers = Array.from({ length: most }, () => read(`/api/deployments/${id}/stream`, {}, token))
  await until('all are open', 30_000, () => readers.every(({ text }) => text.includes('here')))
  const { status, body } = await here.as(token)('GET', `/api/deployments/${id}/stream`)
  expect([status, body.code]).toEqual([429, 'rate_limited'])
  for (const reader of readers) reader.leave()
})

test('as many as begin to follow at once are let through, also where the cloud takes a while to answer', async () => {
  const all = await startHome({ streamsPerToken: 1000 })
  const slow = await startStandIn((_, response) => {
    const head = { 'content-type': 'text/event-stream', 'slipway-version': '0' }
    setTimeout(() => response.writeHead(200, head).end('id: 1\nevent: end\ndata: {}\n\n'), 1000)
  })
  const theirs = await all.org()
  await link(all, theirs.id, slow.url, 'slp_x')
  const id = newId('dep')
  await stub(all, theirs.id, await cloudProject(all, theirs), shownAs(id))
  const asked = Array.from({ length: 150 }, () => theirs.owner.api('GET', `/api/deployments/${id}/stream`))
  const statuses = new Set((await Promise.all(asked)).map(({ status }) => status))
  expect(statuses).toEqual(new Set([200]))
})

describe('a stream that is cut anywhere', () => {
  const events = [...Array(40)].map((_, n) => `id: ${n + 1}\nevent: log\ndata: {"line": "ä ${'y'.repeat(n * 3)}"}\n\n`)

  test('is passed on event by event, and half an event is not', async () => {
    const bytes = Buffer.from(`${events.join('')}id: 41\nevent: log\ndata: {"li`)
    const odd = await startStandIn(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'slipway-version': '0' })
      for (let at = 0; at < bytes.length; at += 37) {
        response.write(bytes.subarray(at, at + 37))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const theirs = await here.org()
    await link(here, theirs.id, odd.url, 'slp_x')
    const id = newId('dep')
    await stub(here, theirs.id, await cloudProject(here, theirs), shownAs(id))
    const reader = read(`/api/deployments/${id}/stream`, {}, theirs.owner.token)
    await until('it ends', 10_000, () => reader.over)
    expect(reader.text).toBe(events.join(''))
  })
})

test('a slow reader is waited for: what it does not take is not piled up here', async () => {
  let written = 0
  const chunk = `id: 1\nevent: log\ndata: ${'z'.repeat(64 * 1024)}\n\n`
  const fast = await startStandIn((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'slipway-version': '0' })
    const more = () => {
      while (!request.socket.destroyed && response.write(chunk)) written += chunk.length
      written += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const theirs = await here.org()
  await link(here, theirs.id, fast.url, 'slp_x')
  const id = newId('dep')
  await stub(here, theirs.id, await cloudProject(here, theirs), shownAs(id))
  const headers = { authorization: `Bearer ${theirs.owner.token}` }
  const asked = request(`${url}/api/deployments/${id}/stream`, { headers }, (answer) => answer.pause())
  asked.on('error', () => {}).end()
  await until('it has begun', 10_000, () => written > 0)
  // Buffers of three sockets on loopback fill up; then it stands still.
  let last = -1
  await until(
    'nothing more is taken',
    20_000,
    () => {
      const still = written === last
      last = written
      return still && written > 0
    },
    { everyMs: 500 },
  )
  expect(written).toBeLessThan(64 * 1024 * 1024)
  asked.destroy()
})
