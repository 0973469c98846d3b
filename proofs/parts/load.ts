import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What to ask: the same request over and over, one at a time on each connection. */
type Load = { port: number; path: string; token: string; connections: number; ms: number }
export type Measured = {
  answers: number
  perSecond: number
  /** Of one call, in the middle of all. */
  p50Ms: number
  /** Answers other than 200; a proof with any of them has measured nothing. */
  refused: number
  /** Length of the last answer's body. */
  bytes: number
  /** Share of one core that the load itself took: near 1 it would measure itself. */
  ownCpu: number
}

export type LoadProcess = { run(load: Load): Promise<Measured>; stop(): void }

/** Runs load from a process of its own, so that it does not share the event loop of whoever measures. */
export function startLoad(): LoadProcess {
  const child: ChildProcess = fork(import.meta.filename)
  process.once('exit', () => child.kill())
  return {
    run: (load) =>
      new Promise((done, fail) => {
        child.once('message', (answer: Measured | { error: string }) =>
          'error' in answer ? fail(new Error(answer.error)) : done(answer),
        )
        child.send(load)
      }),
    stop: () => child.kill(),
  }
}

async function measure(load: Load): Promise<Measured> {
  const connections = await connected(load)
  const tally: Tally = { answers: 0, refused: 0, bytes: 0, took: [] }
  const cpu = process.cpuUsage()
  const started = performance.now()
  const until = started + load.ms
  await Promise.all(connections.map((connection) => askUntil(until, connection, load, tally)))
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const { took, ...counted } = tally
  return {
    ...counted,
    p50Ms: took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0,
    perSecond: tally.answers / (ms / 1000),
    ownCpu: (user + system) / 1000 / ms,
  }
}

const open = new Map<number, Socket[]>()

/** Connections stay open from one run to the next, as a client's would. */
async function connected({ port, connections }: Load): Promise<Socket[]> {
  const sockets = (open.get(port) ?? []).filter((socket) => !socket.destroyed)
  while (sockets.length < connections) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    sockets.push(socket)
  }
  open.set(port, sockets)
  return sockets.slice(0, connections)
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i
type Tally = { answers: number; refused: number; bytes: number; took: number[] }

/** A bare socket: an HTTP client library would cost as much as what is measured. */
function askUntil(until: number, socket: Socket, { path, token }: Load, tally: Tally): Promise<void> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  let held: Buffer = Buffer.alloc(0)
  let wanted = 0
  let sentAt = 0
  return new Promise<void>((done, fail) => {
    const end = (settle: () => void) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error')
      settle()
    }
    socket.on('error', (error) => end(() => fail(error)))
    socket.on('close', () => end(() => fail(new Error('the server closed a connection'))))
    socket.on('data', (chunk) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      if (wanted === 0) {
        const head = held.indexOf(HEAD_END)
        if (head < 0) return
        tally.bytes = Number(LENGTH.exec(held.toString('latin1', 0, head))?.[1])
        wanted = head + HEAD_END.length + tally.bytes
      }
      if (held.length < wanted) return
      const now = performance.now()
      tally.answers++
      tally.took.push(now - sentAt)
      if (held[9] !== TWO) tally.refused++
      held = Buffer.alloc(0)
      wanted = 0
      sentAt = now
      if (now < until) socket.write(request)
      else end(done)
    })
    sentAt = performance.now()
    socket.write(request)
  })
}

/** The first digit of a status that is not a refusal, in its place of `HTTP/1.1 200 OK`. */
const TWO = '2'.charCodeAt(0)

if (import.meta.main) {
  process.on('message', (load: Load) => {
    measure(load).then(
      (measured) => process.send?.(measured),
      (error: Error) => process.send?.({ error: error.message }),
    )
  })
}
