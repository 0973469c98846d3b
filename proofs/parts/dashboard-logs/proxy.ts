import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../../test-kit/free-port.ts'

/** Between browser and server, so that every connection can be cut at any byte. */
export async function cuttable(target: () => number) {
  const sockets = new Set<Socket>()
  const port = await freePort()
  const server = createServer((client) => {
    const upstream = connect(target(), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    close() {
      server.close()
      cut()
    },
  }
}
