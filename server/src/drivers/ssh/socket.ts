import { Duplex } from 'node:stream'
import type { ClientChannel } from 'ssh2'

/**
 * A forwarded unix socket that behaves like node's own sockets. ssh2's channel does not: its `destroy` waits for the
 * other side, drops the error, and a write to a closed channel never calls back — an aborted request would hang.
 */
export class ForwardedSocket extends Duplex {
  readonly #channel: ClientChannel

  constructor(channel: ClientChannel) {
    super({ allowHalfOpen: false })
    this.#channel = channel
    // Callers add their own; without any, an error on an idle socket would end the process.
    this.on('error', ignore)
    channel.on('error', (error: Error) => this.destroy(error))
    channel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause()
    })
    channel.on('end', () => {
      this.push(null)
      // As net.Socket does: lets the end of an idle socket be noticed although nobody reads from it.
      this.read(0)
    })
    // ssh2 reports the close after the end; what arrived before is still to be read.
    channel.on('close', () => (this.readableEnded ? this.destroy() : this.once('end', () => this.destroy())))
  }

  override _read(): void {
    this.#channel.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#channel.write(chunk, encoding, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#channel.end()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#channel.destroy()
    // A paused channel keeps its data and would never report its end.
    this.#channel.resume()
    done(error)
  }

  // What http.Agent calls on a socket; a channel has no counterpart, and deadlines come from signals.
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

function ignore(): void {}
