import { randomBytes } from 'node:crypto'
import { get, request } from 'node:http'

/** A request or stream that is open while things change around it. */
export type OpenEnd = {
  what: string
  /** Resolves when the application has begun to answer, or has got the request for as long as that cannot be seen. */
  begun: Promise<void>
  /** How it ended, and whether that is what was promised. */
  ended: Promise<{ ok: boolean; how: string; seconds: number }>
}

type At = { address: string; port: number; host: string }
const PATIENCE_MS = 90_000
const GOING_AWAY = 1001

const timed = (ended: Promise<{ ok: boolean; how: string }>): OpenEnd['ended'] => {
  const began = performance.now()
  let late: NodeJS.Timeout | undefined
  const never = new Promise<{ ok: boolean; how: string }>((done) => {
    late = setTimeout(done, PATIENCE_MS, { ok: false, how: `still open after ${PATIENCE_MS / 1000} s` })
  })
  return Promise.race([ended, never]).then((end) => {
    clearTimeout(late)
    return { ...end, seconds: (performance.now() - began) / 1000 }
  })
}

/** An ordinary request that the application takes so long to answer. */
export function slowRequest({ address, port, host }: At, ms: number): OpenEnd {
  const asked = get({ host: address, port, path: `/slow?ms=${ms}`, agent: false, headers: { host } })
  const begun = new Promise<void>((done) => asked.on('finish', done).on('error', done))
  const ended = new Promise<{ ok: boolean; how: string }>((done) => {
    asked.on('error', (error) => done({ ok: false, how: error.message }))
    asked.on('response', (answer) => {
      let text = ''
      answer.on('data', (part) => {
        text += part
      })
      answer.on('error', (error) => done({ ok: false, how: error.message }))
      answer.on('end', () => {
        const ok = answer.statusCode === 200 && text.endsWith(' slow')
        done({ ok, how: `${answer.statusCode} ${text}` })
      })
    })
  })
  return { what: `${ms / 1000} s request`, begun, ended: timed(ended) }
}

/** Server-sent events until the application says goodbye and the answer is complete. */
export function eventStream({ address, port, host }: At): OpenEnd {
  const asked = get({ host: address, port, path: '/events', agent: false, headers: { host } })
  const first = Promise.withResolvers<void>()
  const ended = new Promise<{ ok: boolean; how: string }>((done) => {
    const fail = (error: Error) => {
      first.reject(error)
      done({ ok: false, how: error.message })
    }
    asked.on('error', fail)
    asked.on('response', (answer) => {
      let text = ''
      answer.on('data', (part) => {
        text += part
        first.resolve()
      })
      answer.on('error', fail)
      answer.on('end', () => {
        const bye = text.endsWith('event: bye\ndata: stopping\n\n')
        const how = `${bye ? 'bye' : 'no bye'}, ${answer.complete ? 'complete' : 'cut off'}`
        done({ ok: bye && answer.complete, how })
      })
    })
  })
  return { what: 'server-sent events', begun: first.promise, ended: timed(ended) }
}

/** A WebSocket until the close frame; it answers with its own, as clients do, and waits for the other side to hang up. */
export function webSocket({ address, port, host }: At): OpenEnd {
  const headers = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  const asked = request({ host: address, port, path: '/socket', agent: false, headers }).end()
  const first = Promise.withResolvers<void>()
  const ended = new Promise<{ ok: boolean; how: string }>((done) => {
    const fail = (words: string) => {
      first.reject(new Error(words))
      done({ ok: false, how: words })
    }
    asked.on('error', (error) => fail(error.message))
    asked.on('response', (answer) => fail(`no upgrade but ${answer.statusCode}`))
    asked.on('upgrade', (_, socket) => {
      let code: number | undefined
      let trouble: string | undefined
      socket.on('data', (frames) => {
        first.resolve()
        code ??= closeCode(frames)
        if (code !== undefined) socket.end(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]))
      })
      socket.on('error', (error) => {
        trouble = error.message
      })
      socket.on('close', () => {
        const how = `close ${code ?? 'without a frame'}`
        done({ ok: code === GOING_AWAY && !trouble, how: trouble === undefined ? how : `${how}, ${trouble}` })
      })
    })
  })
  return { what: 'WebSocket', begun: first.promise, ended: timed(ended) }
}

/** The code of a close frame among short unmasked ones. */
function closeCode(frames: Buffer): number | undefined {
  for (let at = 0; at + 1 < frames.length; at += 2 + (frames[at + 1] ?? 0)) {
    if (((frames[at] ?? 0) & 0x0f) === 8) return frames.readUInt16BE(at + 2)
  }
  return undefined
}
