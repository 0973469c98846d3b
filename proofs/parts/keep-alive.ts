import { connect, type Socket } from 'node:net'

export type Question = { method: 'GET' | 'POST'; path: string; headers?: string; body?: Buffer }
export type Reply = { status: number; task: string; text: string }

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i
const TASK = /\r\nx-task: *(\S+)/i
const NONE: Buffer = Buffer.alloc(0)
const PATIENCE_MS = 30_000

/**
 * One keep-alive connection, one request at a time, nothing ever sent twice. A bare socket: an HTTP client's own agent
 * would open another connection, or ask again, without saying so.
 */
export class KeepAlive {
  readonly #host: string
  readonly #open: () => Socket
  #socket: Socket | undefined
  #held: Buffer = NONE
  #settle: ((result: Reply | Error) => void) | undefined
  /** Connections that ended while nothing was asked. */
  closedIdle = 0
  /** Those among them that ended with a reset. */
  resetIdle = 0

  /** `open` makes the connection; one with TLS is a socket as well. */
  constructor({ address, port }: { address: string; port: number }, host: string, open?: () => Socket) {
    this.#host = host
    this.#open = open ?? (() => connect({ host: address, port, noDelay: true }))
  }

  ask({ method, path, headers = '', body = NONE }: Question): Promise<Reply> {
    const socket = this.#socket ?? this.#connect()
    const length = method === 'POST' ? `Content-Length: ${body.length}\r\n` : ''
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${headers}${length}\r\n`)
    if (body.length > 0) socket.write(body)
    return new Promise((done, fail) => {
      const late = setTimeout(() => this.#drop(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
      this.#settle = (result) => {
        clearTimeout(late)
        this.#settle = undefined
        if (result instanceof Error) fail(result)
        else done(result)
      }
    })
  }

  close(): void {
    this.#socket?.removeAllListeners('close').destroy()
    this.#socket = undefined
  }

  #connect(): Socket {
    const socket = this.#open()
    this.#socket = socket
    this.#held = NONE
    let why = 'the connection was closed before the answer'
    socket.on('error', (error: NodeJS.ErrnoException) => {
      why = error.code ?? error.message
      if (!this.#settle) this.resetIdle++
    })
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('close', () => {
      if (this.#socket === socket) this.#drop(new Error(why))
    })
    return socket
  }

  #drop(error: Error): void {
    this.close()
    if (this.#settle) this.#settle(error)
    else this.closedIdle++
  }

  #take(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const reply = replyIn(this.#held)
    if (reply === undefined) return
    if (reply instanceof Error) this.#drop(reply)
    else if (!this.#settle) this.#drop(new Error('an answer that nobody asked for'))
    else {
      this.#held = NONE
      this.#settle(reply)
    }
  }
}

/** Nothing while it is not whole. */
function replyIn(held: Buffer): Reply | Error | undefined {
  const end = held.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = held.toString('latin1', 0, end)
  const length = LENGTH.exec(head)?.[1]
  if (length === undefined) return new Error('an answer without a length')
  const whole = end + HEAD_END.length + Number(length)
  if (held.length < whole) return undefined
  if (held.length > whole) return new Error('more than one answer')
  const text = held.toString('utf8', end + HEAD_END.length, whole)
  return { status: Number(head.slice(9, 12)), task: TASK.exec(head)?.[1] ?? '', text }
}
