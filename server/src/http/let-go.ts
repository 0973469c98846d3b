import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node ends idle connections the moment a server stops to listen, and with them any request that was sent on one just
 * then. Here a connection stays: the next answer on it says that it is the last. What is still unused when `endUnused`
 * is called is ended.
 */
export function letGo(server: Server): { endUnused(): void } {
  const endIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {}
  /** Connections without a first request, which Node does not count as idle. */
  const fresh = new Set<Socket>()
  server.on('connection', (socket) => {
    fresh.add(socket)
    socket.once('close', () => fresh.delete(socket))
  })
  server.on('request', ({ socket }) => fresh.delete(socket))
  return {
    endUnused() {
      endIdle()
      for (const socket of fresh) socket.destroy()
    },
  }
}
