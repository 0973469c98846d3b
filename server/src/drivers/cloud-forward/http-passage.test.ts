import { getEventListeners } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../../../test-kit/until.ts'
import { httpPassage } from './http-passage.ts'
import type { CloudPassage, Deadlines } from './passage.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

type Told = 'open' | 'closed'
const SHORT = { connect: 200, firstByte: 300, stall: 300, whole: 900, idle: 300 }
function passage(
  told: (state: Told) => void = () => {},
  mayConnect = (address: string) => address === '127.0.0.1',
  deadlines: Partial<Deadlines> = SHORT,
) {
  const made = httpPassage({
    mayConnect,
    mayConnectPlain: mayConnect,
    extraRoots: async () => [],
    told: (_, state) => told(state),
    probeEveryMs: 50,
    deadlines,
  })
  ends.push(() => made.close())
  return made
}
async function listening(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serving = (listener: RequestListener) => listening(createServer(listener))
const speaking = (bytes: string) => listening(createTcp((socket) => void socket.once('data', () => socket.end(bytes))))

const GET = { method: 'GET', path: '/api/deployments/dep_1', headers: {}, body: null }
const never = new AbortController().signal
const ask = (by: CloudPassage, url: string, signal = never) => by.pass(url, GET, { signal, whose: 'org' })
const failure = async (by: CloudPassage, url: string) =>
  ask(by, url).then(
    () => 'an answer',
    (error: { driver?: string; code?: string }) => `${error.driver} ${error.code}`,
  )
const OK: RequestListener = (_, response) => void response.setHeader('slipway-version', '0').end('{}')

describe('what is no whole answer of the cloud’s own is none, in time', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
  const drip: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write('x'), 100)
    response.on('close', () => clearInterval(timer))
  }
  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20))) {
        // until it is full
      }
    }
    response.on('drain', more)
    more()
  }
  const rows: [string, () => Promise<string>, string][] = [
    ['one that hangs', () => serving(() => {}), 'timeout'],
    ['half a body', () => speaking(`${head}Content-Length: 100\r\n\r\n{"a": 1`), 'broken_answer'],
    ['half of pieces', () => speaking(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`), 'broken_answer'],
    ['a body without a length', () => speaking(`${head}Connection: close\r\n\r\n{}`), 'broken_answer'],
    [
      'a body that stalls',
      () => serving((_, to) => void to.writeHead(200, { 'content-length': 9 }).write('x')),
      'timeout',
    ],
    ['a body that drips without end', () => serving(drip), 'timeout'],
    ['a body without end', () => serving(endless), 'broken_answer'],
    ['a length that is too large', () => speaking(`${head}Content-Length: 99999999999\r\n\r\n`), 'broken_answer'],
    ['no HTTP', () => speaking('\0\x01 garbage\r\n\r\n'), 'broken_answer'],
    ['headers that are none', () => speaking('HTTP/1.1 200 OK\r\nContent Length: 2\r\n\r\n{}'), 'broken_answer'],
    ['two lengths', () => speaking(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`), 'broken_answer'],
    ['headers without end', () => speaking(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(9000)}`), 'broken_answer'],
    ['a line that is closed at once', () => speaking(''), 'broken_answer'],
    ['an error of what stands before it', () => serving((_, to) => void to.writeHead(502).end('<html>')), 'gateway'],
    [
      'a handshake that hangs',
      async () => (await listening(createTcp(() => {}))).replace('http', 'https'),
      'unreachable',
    ],
    ['nobody who listens', async () => 'http://127.0.0.1:9', 'unreachable'],
    ['an address that is not allowed', async () => 'http://127.0.0.2:80', 'address_refused'],
    ['a name that leads to such an address', async () => 'http://localhost.invalid', 'unreachable'],
  ]
  test.each(rows)('%s', async (_, start, code) => {
    const url = await start()
    expect(await failure(passage(), url)).toBe(`cloud ${code}`)
  })

  test('a redirect, wherever it leads', async () => {
    let followed = 0
    const inner = await serving((_, to) => {
      followed++
      to.end()
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const url = await serving((_, to) => void to.writeHead(status, { location: inner, 'slipway-version': '0' }).end())
      expect(await failure(passage(), url)).toBe('cloud redirect')
    }
    expect(followed).toBe(0)
  })
})

test('what the cloud itself answers is its answer, its own errors too', async () => {
  const url = await serving((_, to) => void to.writeHead(503, { 'slipway-version': '0' }).end('{"code": "x"}'))
  const by = passage()
  for (let n = 0; n < 5; n++) {
    const answer = await ask(by, url)
    expect([answer.status, 'body' in answer && answer.body.toString()]).toEqual([503, '{"code": "x"}'])
  }
})

test('a stream that says nothing for too long is ended', async () => {
  const url = await serving((_, to) => void to.writeHead(200, { 'content-type': 'text/event-stream' }).write('a\n\n'))
  const answer = await passage().pass(url, GET, { signal: never, streams: () => true, whose: 'org' })
  if (!('chunks' in answer)) throw new Error('no stream')
  const seen: string[] = []
  const read = async () => {
    for await (const chunk of answer.chunks) seen.push(chunk.toString())
  }
  await expect(read()).rejects.toMatchObject({ driver: 'cloud', code: 'timeout' })
  expect(seen).toEqual(['a\n\n'])
})

describe('a cloud that is away', () => {
  test('is not asked after three failures; one probe at a time looks after it until it is back', async () => {
    const states: Told[] = []
    let healthy = false
    let [asked, probes, probing, most] = [0, 0, 0, 0]
    const url = await serving((request, to) => {
      if (request.url !== '/healthz') asked++
      else {
        probes++
        probing++
        most = Math.max(most, probing)
        to.on('close', () => probing--)
      }
      if (healthy) OK(request, to)
      else if (request.url === '/healthz') setTimeout(() => to.destroy(), 120)
      else to.destroy()
    })
    const by = passage((state) => states.push(state))
    for (let n = 0; n < 3; n++) expect(await failure(by, url)).toBe('cloud broken_answer')
    for (let n = 0; n < 200; n++) expect(await failure(by, url)).toBe('cloud away')
    expect([asked, states]).toEqual([3, ['open']])
    await until('it was looked after', 5000, () => probes >= 3)
    expect(most).toBe(1)
    healthy = true
    await until('it is back', 5000, () => states.length === 2)
    expect((await ask(by, url)).status).toBe(200)
    // No timer while it is closed.
    const before = probes
    await new Promise((later) => setTimeout(later, 200))
    expect(probes).toBe(before)
  })

  test('failures that do not follow one another do not count together', async () => {
    let bad = true
    const url = await serving((request, to) => (bad ? to.destroy() : OK(request, to)))
    const by = passage()
    for (let round = 0; round < 4; round++) {
      bad = true
      for (let n = 0; n < 2; n++) expect(await failure(by, url)).toBe('cloud broken_answer')
      bad = false
      expect(await failure(by, url)).toBe('an answer')
    }
  })

  test('a caller who leaves says nothing about it', async () => {
    let hang = true
    const url = await serving((request, to) => void (hang || OK(request, to)))
    const by = passage()
    for (let n = 0; n < 5; n++) await ask(by, url, AbortSignal.timeout(20)).catch(() => {})
    hang = false
    expect((await ask(by, url)).status).toBe(200)
  })

  test('another cloud is not concerned', async () => {
    const [bad, good] = [await serving((_, to) => void to.destroy()), await serving(OK)]
    const by = passage()
    for (let n = 0; n < 5; n++) await failure(by, bad)
    expect(await failure(by, bad)).toBe('cloud away')
    expect((await ask(by, good)).status).toBe(200)
  })
})

describe('a caller who leaves', () => {
  const begins: RequestListener = (_, to) => void to.writeHead(200, { 'content-length': 9 }).write('x')
  const rows: [string, RequestListener][] = [
    ['before the answer', () => {}],
    ['in the middle of it', begins],
  ]
  test.each(rows)('ends the call there, %s', async (_, does) => {
    let [came, ended] = [0, 0]
    const url = await serving((request, to) => {
      came++
      to.on('close', () => ended++)
      does(request, to)
    })
    const leaving = new AbortController()
    // No deadline of the call's own ends it before.
    const by = passage(undefined, undefined, {})
    const left = expect(ask(by, url, leaving.signal)).rejects.toThrow()
    await until('it is there', 5000, () => came === 1)
    leaving.abort(new Error('left'))
    await until('it was ended', 5000, () => ended === 1)
    await left
  })

  test('before the call was sent sends none', async () => {
    let came = 0
    const url = await serving(() => came++)
    await expect(ask(passage(), url, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
    expect(came).toBe(0)
  })

  test('is not remembered: nothing of a call that is over hangs on its signal', async () => {
    const url = await serving(OK)
    const { signal } = new AbortController()
    const by = passage()
    for (let n = 0; n < 5; n++) await ask(by, url, signal)
    await until('nothing is left', 5000, () => getEventListeners(signal, 'abort').length === 0)
  })
})

test('whether a cloud is away is known from the last try, without asking it', async () => {
  const server = createServer(OK)
  const url = await listening(server)
  const by = passage()
  expect(by.isAway(url, 'org'), 'nobody has asked it').toBe(false)
  await ask(by, url)
  expect(by.isAway(url, 'org')).toBe(false)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await failure(by, url)
  expect(by.isAway(url, 'org'), 'one failure').toBe(true)
  for (let n = 0; n < 3; n++) await failure(by, url)
  expect(by.isAway(url, 'org'), 'the breaker is open').toBe(true)
  server.listen(Number(new URL(url).port), '127.0.0.1')
  await until('it is found to be back', 5000, () => !by.isAway(url, 'org'))
})

test('one that hangs holds a bounded number of calls, and whoever comes after them is refused at once', async () => {
  let held = 0
  const url = await serving(() => held++)
  // Long enough for the first of them to wait still when the last has come, on a busy machine too.
  const by = passage(undefined, undefined, { connect: 5000, firstByte: 3000, stall: 3000, whole: 3000, idle: 3000 })
  const all = Array.from({ length: 64 }, () => failure(by, url))
  await until('all of them wait', 5000, () => held === 64)
  expect(await failure(by, url)).toBe('cloud busy')
  expect(held).toBe(64)
  expect(new Set(await Promise.all(all))).toEqual(new Set(['cloud timeout']))
})

test('a connection that ended while it lay idle costs a reader nothing', async () => {
  const server = createServer(OK)
  const url = await listening(server)
  const by = passage()
  for (let n = 0; n < 4; n++) {
    expect((await ask(by, url)).status).toBe(200)
    server.closeAllConnections()
  }
})

describe('a body that is read while it is sent', () => {
  const MEGABYTE = 1024 * 1024
  async function* pieces(count: number, everyMs = 0): AsyncGenerator<Buffer> {
    for (let n = 0; n < count; n++) {
      if (everyMs > 0) await new Promise((later) => setTimeout(later, everyMs))
      yield Buffer.alloc(MEGABYTE / 16, n)
    }
  }
  const put = (by: CloudPassage, url: string, chunks: AsyncIterable<Buffer>, bytes: number) =>
    by.pass(url, { ...GET, method: 'PUT', body: { chunks, bytes } }, { signal: never, whose: 'org' })
  const counting: RequestListener = (request, to) => {
    let bytes = 0
    const answer = () => to.setHeader('slipway-version', '0').end(`${request.headers['content-length']} ${bytes}`)
    request.on('data', (chunk) => (bytes += chunk.length)).on('end', answer)
  }

  test('arrives whole and with its length, however long it takes while it moves', async () => {
    const url = await serving(counting)
    // Longer than everything but a stall may take.
    const answer = await put(passage(), url, pieces(12, 100), 12 * (MEGABYTE / 16))
    expect('body' in answer && answer.body.toString()).toBe(`${12 * (MEGABYTE / 16)} ${12 * (MEGABYTE / 16)}`)
  })

  test('is read no faster than it is taken, and one that stalls ends in time', async () => {
    const url = await serving((request) => void request.pause())
    let read = 0
    async function* endless(): AsyncGenerator<Buffer> {
      for (; read < 4096; read++) yield Buffer.alloc(MEGABYTE / 16)
    }
    await expect(put(passage(), url, endless(), 256 * MEGABYTE)).rejects.toMatchObject({ code: 'timeout' })
    expect(read * (MEGABYTE / 16)).toBeLessThan(16 * MEGABYTE)
  })

  test('that ends early or does not end is not taken for the whole, and says nothing about the cloud', async () => {
    let arrived = 0
    const url = await serving((request, to) => {
      request.on('end', () => arrived++)
      counting(request, to)
    })
    const by = passage()
    for (let n = 0; n < 4; n++)
      await expect(put(by, url, pieces(2), 3 * (MEGABYTE / 16))).rejects.toThrow('another length')
    expect(arrived).toBe(0)
    expect(await failure(by, url)).toBe('an answer')
    await expect(put(by, url, pieces(4), 3 * (MEGABYTE / 16))).rejects.toThrow('another length')
  })

  test('whoever answers before all of it came is heard, and no more is read', async () => {
    let read = 0
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of pieces(1600)) {
        read++
        yield piece
      }
    }
    const url = await serving((_, to) => void to.writeHead(200, { 'slipway-version': '0' }).end('{"stored": false}'))
    const answer = await put(passage(), url, counted(), 100 * MEGABYTE)
    expect('body' in answer && answer.body.toString()).toBe('{"stored": false}')
    expect(read).toBeLessThan(1600)
  })
})
