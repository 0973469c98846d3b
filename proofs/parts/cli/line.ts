import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { wire } from '../wire.ts'

/** A line to a server with this much time in each direction; `cutAfter` ends every connection on it, once, when so many bytes have gone up. */
export async function slowLine(to: { host: string; port: number }, eachWayMs: number) {
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let sent = 0
  const cut = () => {
    for (const each of open) each.destroy()
  }
  const late = () =>
    new Transform({
      transform(chunk, _, done) {
        setTimeout(() => this.push(chunk), eachWayMs)
        done()
      },
      flush: (done) => void setTimeout(done, eachWayMs),
    })
  const server = createServer((near) => {
    near.on('data', (chunk: Buffer) => {
      sent += chunk.length
      left -= chunk.length
      if (left > 0) return
      left = Number.POSITIVE_INFINITY
      cut()
    })
    wire(near, connect(to), open, late)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    sent: () => sent,
    cutAfter(bytes: number) {
      left = bytes
    },
    close() {
      cut()
      server.close()
    },
  }
}
