import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import type { Happening } from '../../src/logs/log-messages.ts'
import { type Connection, waitBefore } from '../../src/logs/worker/follow-stream.ts'
import { LogBook } from '../../src/logs/worker/log-book.ts'
import { logReader } from '../../src/logs/worker/read-log.ts'

type Answer = (request: IncomingMessage, reply: ServerResponse) => void
let answer: Answer = () => {}
const asked: string[] = []
const server = createServer((request, reply) => {
  asked.push(`${request.url} ${request.headers['last-event-id'] ?? ''}`.trim())
  answer(request, reply)
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const event = (seq: number, type = 'log') =>
  `id: ${seq}\nevent: ${type}\ndata: {"at":"2026-01-01T00:00:00Z","line":"row ${seq}"}\n\n`
const row = (seq: number) => `${JSON.stringify([seq, '2026-01-01T00:00:00Z', 'stdout', null, null, `row ${seq}`])}\n`
const sinceOf = ({ url = '' }: IncomingMessage) => Number(/since=(\d+)/.exec(url)?.[1])
const events = (reply: ServerResponse) => reply.writeHead(200, { 'content-type': 'text/event-stream' })

function open(kind: 'numbered' | 'timed' = 'numbered') {
  asked.length = 0
  const book = new LogBook()
  const told: Connection[] = []
  const happened: Happening[] = []
  const nudges = new EventTarget()
  const tell = (connection: Connection) => {
    told.push(connection)
    // Nobody wants to wait here.
    if (connection.state === 'lost') setTimeout(() => nudges.dispatchEvent(new Event('now')), 1)
  }
  const source =
    kind === 'timed' ? { kind, stream: `${url}/timed` } : { kind, rows: `${url}/rows`, stream: `${url}/stream` }
  const changed = () => {}
  const read = logReader({ source, book, changed, happened: (one) => happened.push(one), tell, nudges })
  const texts = () => book.rows(0, book.size).map(({ text }) => text)
  return { read, book, told, happened, texts }
}
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `row ${from + n}`)

test('what is there comes as rows, what follows as events, and the end is the end', async () => {
  answer = (request, reply) => {
    if (request.url === '/rows') return void reply.end(row(1) + row(3))
    events(reply).end(event(4) + event(5, 'status') + event(6, 'end'))
  }
  const { read, texts, told, happened } = open()
  await read(new AbortController().signal)
  expect(texts()).toEqual(['row 1', 'row 3', 'row 4'])
  expect(asked).toEqual(['/rows', '/stream?since=3'])
  expect(happened.map(({ type }) => type)).toEqual(['status', 'end'])
  expect(told.map(({ state }) => state)).toEqual(['reading', 'connecting', 'live', 'ended'])
})

test('connections that break in the middle lose no line and double none', async () => {
  let broken = 0
  answer = (request, reply) => {
    if (request.url === '/rows') return void reply.write(row(1) + row(2) + row(3).slice(0, 9), () => reply.destroy())
    const since = sinceOf(request)
    // One repeats itself, and the last word of each is cut.
    const text = Array.from({ length: 12 }, (_, n) => event(since + n)).join('')
    if (++broken < 6) return void events(reply).write(text.slice(0, -7), () => reply.destroy())
    events(reply).end(`${text}${event(since + 12, 'end')}`)
  }
  const { read, texts, book } = open()
  await read(new AbortController().signal)
  expect(texts()).toEqual(rows(1, book.lastSeq))
  expect(book.lines).toBe(2 + 5 * 10 + 11)
})

test('a refusal is told with its status and sentence, and not asked again', async () => {
  for (const status of [401, 404]) {
    answer = (_, reply) => void reply.writeHead(status).end('{"error":"There is no such deployment."}')
    const { read, told } = open('timed')
    await read(new AbortController().signal)
    expect(told.at(-1)).toEqual({ state: 'refused', status, sentence: 'There is no such deployment.' })
    expect(asked).toHaveLength(1)
  }
})

test('a server that has too much to do is asked again', async () => {
  answer = (_, reply) =>
    void (asked.length < 3 ? reply.writeHead(asked.length === 1 ? 503 : 429).end() : reply.writeHead(204).end())
  const { read, told } = open('timed')
  await read(new AbortController().signal)
  expect(told.map(({ state }) => state)).toEqual(['connecting', 'lost', 'connecting', 'lost', 'connecting', 'ended'])
})

test('lines without numbers go on behind the time of the last one', async () => {
  answer = (request, reply) => {
    if (request.headers['last-event-id']) return void reply.writeHead(204).end()
    const data = '{"ts":"2026-01-01T00:00:07Z","service":"web","line":"hello"}'
    events(reply).end(`id: 2026-01-01T00:00:07Z\nevent: log\ndata: ${data}\n\n`)
  }
  const { read, texts } = open('timed')
  await read(new AbortController().signal)
  expect(texts()).toEqual(['hello'])
  expect(asked).toEqual(['/timed', '/timed 2026-01-01T00:00:07Z'])
})

test('what is let go of is taken up behind the last line', async () => {
  answer = (request, reply) => {
    if (request.url === '/rows') return void reply.end()
    events(reply).write(event(sinceOf(request) + 1))
  }
  const { read, book } = open()
  for (const seq of [1, 2]) {
    const left = new AbortController()
    const reading = read(left.signal)
    await expect.poll(() => book.lastSeq).toBe(seq)
    left.abort()
    await reading
  }
  expect(asked).toEqual(['/rows', '/stream?since=0', '/stream?since=1'])
})

test('it is tried again after half a second, then less and less often, and not by all at once', () => {
  expect([0, 1, 2, 5, 50].map((attempt) => waitBefore(attempt, 0.5))).toEqual([500, 1000, 2000, 15_000, 15_000])
  expect([waitBefore(0, 0), waitBefore(0, 1)]).toEqual([375, 625])
})
