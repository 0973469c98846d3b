import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../../test-kit/free-port.ts'

export type CuttingProxy = {
  url: string
  /** The next commit (or what holds these words) arrives, its answer does not. */
  cutNext(words?: string): void
  close(): void
}

/** Between a client and PostgreSQL: the one fault that a real server cannot be asked for at the right byte. */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  let armed: string | null = null
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname)
    let mute = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.end()
        sockets.delete(socket)
      })
    }
    client.on('data', (chunk) => {
      if (armed !== null && chunk.includes(armed)) {
        armed = null
        mute = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => (mute ? client.destroy() : client.write(chunk)))
  })
  const port = await freePort()
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cutNext: (words = 'commit') => {
      armed = words
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
