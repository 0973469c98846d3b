import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { startWorld } from '../../../test-kit/world.ts'
import { append } from '../../src/core/deployments/events/events-store.ts'
import { feeds } from '../../src/core/deployments/events/feed.ts'
import { encodeEvent } from '../../src/http/event-stream.ts'
import { end, firstFault, line, makeDeployment, parsed, type Seen, store, story } from './made.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { platform } = world
const { db } = platform
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as { port: number }
const served = new Set<Socket>()
world.app.server.on('connection', (socket) => served.add(socket))

const clients = new Set<Socket>()
afterAll(() => {
  for (const socket of clients) socket.destroy()
})

/** A viewer with a connection of its own, which reads only while it is told to. */
function view(id: string, since = 0, headers: Record<string, string> = {}) {
  const socket = connect(port, '127.0.0.1')
  clients.add(socket)
  let text = ''
  let over = false
  socket.setEncoding('utf8').on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('close', () => {
    over = true
  })
  const more = Object.entries({ authorization: `Bearer ${org.owner.token}`, ...headers }).map(
    ([k, v]) => `${k}: ${v}\r\n`,
  )
  socket.write(`GET /api/deployments/${id}/stream?since=${since} HTTP/1.0\r\nHost: x\r\n${more.join('')}\r\n`)
  return {
    socket,
    text: () => text,
    over: () => over,
    seen: (): Seen[] => parsed(text.slice(text.indexOf('\r\n\r\n') + 4)),
  }
}

const finish = async (id: string) => {
  await store(world, id, [end()])
  await db.updateTable('deployment').set({ status: 'ready', finishedAt: new Date() }).where('id', '=', id).execute()
  platform.changes.send(id)
}

describe('viewers', () => {
  test('who come at any time and from any point see the same, whole and in order', async () => {
    const { id } = await makeDeployment(world, org)
    const viewers = [view(id), view(id)]
    for (let n = 0; n < 100; n++) {
      await store(
        world,
        id,
        Array.from({ length: 37 }, (_, k) => line(`${n}/${k}`)),
      )
      platform.changes.send(id)
      viewers.push(view(id, n % 3 === 0 ? 0 : n * 20))
      if (n % 10 === 0) await new Promise((next) => setTimeout(next, 30))
    }
    await finish(id)
    await until('every viewer is done', 60_000, () => viewers.every(({ over }) => over()))
    const whole = viewers[0]?.seen() ?? []
    expect(whole).toHaveLength(3701)
    for (const viewer of viewers) {
      const seen = viewer.seen()
      const since = (seen[0]?.id ?? 0) - 1
      expect(firstFault(seen, since)).toBeUndefined()
      expect(seen).toEqual(whole.slice(since))
    }
  }, 90_000)

  test('go on behind the newer of ?since and Last-Event-ID, and get nothing more after the end', async () => {
    const { id } = await makeDeployment(world, org, { ended: new Date() })
    await store(world, id, story(20))
    const viewer = view(id, 5, { 'last-event-id': '15' })
    await until('the stream is over', 30_000, viewer.over)
    expect(viewer.seen().map((event) => event.id)).toEqual([16, 17, 18, 19, 20, 21])
    const answer = await fetch(`http://127.0.0.1:${port}/api/deployments/${id}/stream?since=19`, {
      headers: { authorization: `Bearer ${org.owner.token}` },
    })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    expect(parsed(await answer.text()).map((event) => event.id)).toEqual([20, 21])
    for (const since of [21, 5000])
      expect((await api('GET', `/api/deployments/${id}/stream?since=${since}`)).status).toBe(204)
  })

  test('who claim to have seen what has not happened get what happens next', async () => {
    const { id } = await makeDeployment(world, org)
    await store(world, id, [line('before')])
    const viewer = view(id, 1_000_000)
    await until('the stream has begun', 30_000, () => viewer.text().includes('\r\n\r\n'))
    await store(world, id, [line('after')])
    await finish(id)
    await until('the stream is over', 30_000, viewer.over)
    expect(viewer.seen().map((event) => event.data.line)).toEqual(['after', undefined])
  })

  test('of a deployment that is deleted are let go', async () => {
    const { id } = await makeDeployment(world, org)
    await store(world, id, [line('x')])
    const viewer = view(id)
    await until('the first event', 30_000, () => viewer.seen().length === 1)
    await db.deleteFrom('deployment').where('id', '=', id).execute()
    await until('the stream is over', 30_000, viewer.over)
  })

  test('beyond the request limit are let in', async () => {
    const few = await startWorldWithRate(5)
    expect(await few()).toEqual(Array.from({ length: 20 }, () => 204))
  })
})

async function startWorldWithRate(perToken: number) {
  const { buildApp } = await import('../../src/http/app.ts')
  const { createMetrics } = await import('../../src/http/metrics.ts')
  const { pino } = await import('pino')
  const rate = { perAddress: perToken, perToken }
  const limited = { ...platform, config: { ...platform.config, rate } }
  const app = await buildApp({
    platform: limited,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(platform),
  })
  const { id } = await makeDeployment(world, org, { ended: new Date() })
  return async () => {
    const headers = { authorization: `Bearer ${org.owner.token}` }
    const answers = []
    for (let n = 0; n < 20; n++) answers.push(await app.inject({ url: `/api/deployments/${id}/stream`, headers }))
    await app.close()
    return answers.map(({ statusCode }) => statusCode)
  }
}

test('a reader who does not read is waited for, holds little, and holds up nobody', async () => {
  const { id } = await makeDeployment(world, org)
  const slow = view(id)
  await until('the stream has begun', 30_000, () => slow.text().includes('\r\n\r\n'))
  slow.socket.pause()
  const quick = view(id)
  const long = 'x'.repeat(4000)
  for (let n = 0; n < 30; n++) {
    await store(
      world,
      id,
      Array.from({ length: 100 }, (_, k) => line(`${n}/${k} ${long}`)),
    )
    platform.changes.send(id)
  }
  await finish(id)
  await until('the quick viewer is done', 60_000, quick.over)
  expect(firstFault(quick.seen())).toBeUndefined()
  expect(quick.seen()).toHaveLength(3001)
  // 12 MB were printed.
  for (const socket of served) expect(socket.writableLength).toBeLessThan(300_000)
  expect(slow.over()).toBe(false)
  slow.socket.resume()
  await until('the slow viewer is done', 60_000, slow.over)
  expect(slow.seen()).toEqual(quick.seen())
}, 150_000)

/** How often a feed looks by itself: news that it had missed would each wait for that. */
const LOOK_MS = 1500

describe('news', () => {
  /** Notifications that are told by the test, at the moment it wants. */
  const told = () => {
    const heard = new Set<() => void>()
    const tell = () => {
      for (const changed of heard) changed()
    }
    const changes = {
      ...platform.changes,
      subscribe: (_: string, changed: () => void) => {
        heard.add(changed)
        return () => heard.delete(changed)
      },
    }
    return { changes, tell }
  }

  test('that come while a viewer reads the past are not waited for', async () => {
    const { changes, tell } = told()
    const began = performance.now()
    const rounds = 8
    for (let n = 0; n < rounds; n++) {
      const { id } = await makeDeployment(world, org)
      await store(world, id, [line('1')])
      // Right after the table was read, before the reader knows what was there.
      let reads = 0
      const history = {
        after: async (...args: Parameters<typeof platform.history.after>) => {
          const events = await platform.history.after(...args)
          if (reads++ > 0) return events
          await append(db, id, null, [line('2')])
          tell()
          await new Promise((next) => setTimeout(next, 50))
          return events
        },
      }
      const { follow } = feeds({ db, changes, history, encode: encodeEvent })
      const gone = new AbortController()
      let text = ''
      for await (const bytes of follow(id, 0, gone.signal)) {
        text += Buffer.from(bytes)
        if (parsed(text).length === 2) gone.abort()
      }
      expect(parsed(text).map(({ data }) => data.line)).toEqual(['1', '2'])
    }
    expect(performance.now() - began).toBeLessThan(rounds * LOOK_MS)
  })

  test('that come while the feed reads are read at once, not at its next look', async () => {
    const { id } = await makeDeployment(world, org)
    const { changes, tell } = told()
    let count = 0
    const history = {
      after: async (...args: Parameters<typeof platform.history.after>) => {
        const events = await platform.history.after(...args)
        if (count < 20) {
          await append(db, id, null, [line(String(++count))])
          tell()
        }
        return events
      },
    }
    const { follow } = feeds({ db, changes, history, encode: encodeEvent })
    const gone = new AbortController()
    const reading = (async () => {
      let text = ''
      for await (const bytes of follow(id, 0, gone.signal)) {
        text += Buffer.from(bytes)
        if (parsed(text).length === 21) gone.abort()
      }
      return parsed(text)
    })()
    await new Promise((next) => setTimeout(next, 100))
    const began = performance.now()
    await append(db, id, null, [line('first')])
    tell()
    expect(firstFault(await reading)).toBeUndefined()
    // Each of twenty that waited for a look would make it twice as long.
    expect(performance.now() - began).toBeLessThan(10 * LOOK_MS)
  })

  test('that nobody tells of are found', async () => {
    const { id } = await makeDeployment(world, org)
    const { changes } = told()
    const { follow } = feeds({ db, changes, history: platform.history, encode: encodeEvent })
    const gone = new AbortController()
    const reading = follow(id, 0, gone.signal).next()
    await new Promise((next) => setTimeout(next, 100))
    await append(db, id, null, [line('quiet')])
    const { value } = await reading
    expect(parsed(String(Buffer.from(value ?? '')))).toMatchObject([{ data: { line: 'quiet' } }])
    gone.abort()
  })
})
