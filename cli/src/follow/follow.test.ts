import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { connect } from '../instance/open.ts'
import { eventsIn, type StreamEvent } from './events.ts'
import { follow } from './follow.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

type State = { status: string; waitingOn?: unknown }
type Streams = ((answer: ServerResponse, since: number) => void)[]

const event = (seq: number, name: string, data: object = {}) =>
  `event: ${name}\nid: ${seq}\ndata: ${JSON.stringify(data)}\n\n`
const begin = (answer: ServerResponse) => answer.writeHead(200, { 'content-type': 'text/event-stream' })
const log = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => event(from + n, 'log', { line: `line ${from + n}` })).join('')

/** A deployment whose stream is answered by one after the other of these; the last one again and again. */
async function deployment(streams: Streams, state: () => State) {
  let turn = 0
  server = await answering((request, answer) => {
    const url = new URL(request.url ?? '', 'http://x')
    if (!url.pathname.endsWith('/stream'))
      return sendJson(answer, { id: 'dep_1', number: 1, waitingOn: null, ...state() })
    const stream = streams[Math.min(turn++, streams.length - 1)]
    stream?.(answer, Number(url.searchParams.get('since')))
  })
  const seen: StreamEvent[] = []
  const signal = AbortSignal.timeout(60_000)
  const instance = connect({ url: server.url, token: null, context: null }, signal, 2)
  const ended = follow(instance, { id: 'dep_1', signal, onEvent: (one) => seen.push(one), patienceMs: 1500 })
  return { ended, seen, asked: server.seen }
}

const seqs = (seen: StreamEvent[]) => seen.map(({ id }) => Number(id))

test('a stream that is cut, refused and silent for a moment goes on behind the last event: each comes once', async () => {
  let state = 'building'
  const { ended, seen, asked } = await deployment(
    [
      (answer) => {
        begin(answer).write(log(1, 3))
        setTimeout(() => answer.destroy(), 20)
      },
      (answer) => sendJson(answer, {}, 503),
      (answer) => sendJson(answer, {}, 503),
      // Half an event, then the end.
      (answer) => begin(answer).end(`${log(4, 5)}event: log\nid: 6\ndata: {"li`),
      // One that tells again what was told.
      (answer) => {
        state = 'ready'
        begin(answer).end(log(2, 8) + event(9, 'end', { status: 'ready' }))
      },
    ],
    () => ({ status: state }),
  )
  expect((await ended).status).toBe('ready')
  expect(seqs(seen)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(asked.filter((one) => one.includes('since=5'))).not.toEqual([])
})

test('where no stream can be had, the deployment is asked until it has ended', async () => {
  let asked = 0
  const { ended, seen } = await deployment(
    [(answer) => sendJson(answer, { code: 'rate_limited', error: 'Too many.' }, 429)],
    () => ({
      status: ++asked < 4 ? 'deploying' : 'failed',
    }),
  )
  expect((await ended).status).toBe('failed')
  expect(seen).toEqual([])
})

test('an end that the stream does not tell is believed after some tries', async () => {
  const { ended } = await deployment([(answer) => begin(answer).end(log(1, 2))], () => ({ status: 'ready' }))
  expect((await ended).status).toBe('ready')
})

test('a question ends the wait, and one that was answered meanwhile does not', async () => {
  let waitingOn: unknown = null
  let open: ServerResponse | undefined
  const { ended, seen } = await deployment(
    [
      (answer) => {
        open = begin(answer)
        open.write(
          event(1, 'prompt', { promptId: 'approve_build' }) +
            event(2, 'prompt', { promptId: 'approve_build', action: 'approve' }),
        )
      },
    ],
    () => {
      const now = { status: 'deploying', waitingOn }
      // Asked because of the first prompt, which has its answer: the next question comes after that.
      if (waitingOn === null) setImmediate(() => open?.write(event(3, 'decision', { decision: 'pending' })))
      waitingOn = { kind: 'decision' }
      return now
    },
  )
  expect(await ended).toMatchObject({ waitingOn: { kind: 'decision' } })
  expect(seqs(seen)).toEqual([1, 2, 3])
})

test('an instance that dies and stays away is given up, with how to look again', async () => {
  const { ended } = await deployment([(answer) => begin(answer).write(log(1, 1))], () => ({ status: 'building' }))
  ended.catch(() => {})
  await expect.poll(() => server?.seen.length).toBe(1)
  server?.close()
  await expect(ended).rejects.toMatchObject({ exit: 8, hint: expect.stringContaining('slipway inspect dep_1') })
})

test('a connection on which nothing comes, not even a comment, counts as cut', async () => {
  const silent = new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(log(1, 1))) }))
  const read = async () => {
    for await (const one of eventsIn(silent, 50)) expect(one.id).toBe('1')
  }
  await expect(read()).rejects.toThrow('silent')
})

test('a refusal is not waited out', async () => {
  const refused = {
    success: false,
    error: 'The access token has expired.',
    code: 'credentials_expired',
    requestId: 'r',
  }
  const { ended } = await deployment([(answer) => sendJson(answer, refused, 401)], () => ({ status: 'building' }))
  await expect(ended).rejects.toMatchObject({ status: 401 })
})

test('one that is on its way to the hosted cloud is waited for, and followed once it is there', async () => {
  let state = 'queued'
  const early = (answer: ServerResponse) => sendJson(answer, { error: 'early', code: 'promotion_running' }, 409)
  const { ended, seen } = await deployment(
    [
      early,
      early,
      (answer) => {
        state = 'ready'
        begin(answer).end(log(1, 3) + event(4, 'end', { status: 'ready' }))
      },
    ],
    () => ({ status: state }),
  )
  expect((await ended).status).toBe('ready')
  expect(seqs(seen)).toEqual([1, 2, 3, 4])
})

test('one that never came to the hosted cloud ends as it is told here', async () => {
  const { ended } = await deployment(
    [(answer) => sendJson(answer, { error: 'never there', code: 'not_now' }, 400)],
    () => ({ status: 'failed' }),
  )
  expect((await ended).status).toBe('failed')
})
