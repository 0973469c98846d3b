import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { KeepAlive } from '../keep-alive.ts'
import type { Door } from './client.ts'

const PATIENCE_MS = 30_000
const FRESH_MS = 10_000

export type Reply = { status: number; text: string }

/** A connection that is kept, over which one thing after the other is asked. Nothing is ever sent twice. */
export interface Line {
  ask(path: string): Promise<Reply>
  close(): void
  /** How often the other side ended it while nothing was asked, and how often with an error. */
  readonly closedIdle: number
  readonly resetIdle: number
}

/** Makes connections whose certificate must be believed, by name and by authority; none resumes an earlier one. */
export class Dialler {
  readonly #door: Door
  readonly #trust: SecureContext

  constructor(door: Door) {
    this.#door = door
    this.#trust = createSecureContext({ ca: door.ca })
  }

  open(host: string, protocol: 'http/1.1' | 'h2'): TLSSocket {
    const { address, port } = this.#door
    const socket = connect({
      ...{ host: address, port, servername: host, secureContext: this.#trust },
      ALPNProtocols: [protocol],
    })
    return socket.setNoDelay(true)
  }

  http1(host: string): Line {
    const kept = new KeepAlive(this.#door, host, () => this.open(host, 'http/1.1'))
    return {
      ask: (path) => kept.ask({ method: 'GET', path }),
      close: () => kept.close(),
      get closedIdle() {
        return kept.closedIdle
      },
      get resetIdle() {
        return kept.resetIdle
      },
    }
  }

  http2(host: string): Line {
    return new Http2Line(host, () => this.open(host, 'h2'))
  }

  /** A connection of its own: a handshake, one request, and it is closed. Returns the certificate's serial as well. */
  fresh(host: string, path: string): Promise<Reply & { serial: string }> {
    let serial = ''
    const line = new KeepAlive(this.#door, host, () => {
      const socket = this.open(host, 'http/1.1')
      socket.once('secureConnect', () => {
        serial = socket.getPeerX509Certificate()?.serialNumber ?? ''
      })
      socket.setTimeout(FRESH_MS, () => socket.destroy(new Error(`nothing for ${FRESH_MS / 1000} s`)))
      return socket
    })
    return line
      .ask({ method: 'GET', path, headers: 'Connection: close\r\n' })
      .then((reply) => ({ ...reply, serial }))
      .finally(() => line.close())
  }
}

class Http2Line implements Line {
  readonly #host: string
  readonly #open: () => TLSSocket
  #session: ClientHttp2Session | undefined
  #asking = false
  #why = ''
  closedIdle = 0
  resetIdle = 0

  constructor(host: string, open: () => TLSSocket) {
    this.#host = host
    this.#open = open
  }

  async ask(path: string): Promise<Reply> {
    const session = this.#session ?? this.#connect()
    this.#asking = true
    try {
      return await this.#request(session, path)
    } finally {
      this.#asking = false
    }
  }

  close(): void {
    this.#session?.removeAllListeners('close').destroy()
    this.#session = undefined
  }

  #request(session: ClientHttp2Session, path: string): Promise<Reply> {
    return new Promise((done, fail) => {
      const stream = session.request({ ':path': path, ':authority': this.#host })
      let [status, text, ended] = [0, '', false]
      stream.setTimeout(PATIENCE_MS, () => stream.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)))
      stream.on('response', (headers) => {
        status = headers[':status'] ?? 0
      })
      stream.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        ended = true
      })
      stream.on('error', (error) => fail(error))
      stream.on('close', () => {
        if (ended && status > 0) done({ status, text })
        else fail(new Error(this.#why || `the stream was closed before the answer (code ${stream.rstCode})`))
      })
      stream.end()
    })
  }

  #connect(): ClientHttp2Session {
    this.#why = ''
    const session = connectHttp2(`https://${this.#host}`, { createConnection: this.#open })
    this.#session = session
    const over = () => {
      if (this.#session === session) this.#session = undefined
    }
    session.on('error', (error: NodeJS.ErrnoException) => {
      this.#why = error.code ?? error.message
      if (!this.#asking) this.resetIdle++
    })
    // No more is asked of one that has said goodbye.
    session.on('goaway', () => {
      this.closedIdle++
      over()
    })
    session.on('close', () => {
      if (this.#session === session && !this.#asking) this.closedIdle++
      over()
    })
    return session
  }
}
