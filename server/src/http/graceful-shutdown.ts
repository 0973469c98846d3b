import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Graceful shutdown. Node ends idle connections the moment a server stops to listen, and with them any request that was sent on one just
 * then. Here a connection stays: the next answer on it says that it is the last. One that two calls of `endUnused` have
 * seen without a request, and without a byte in between, is ended: however late this process comes to look, it has read
 * in between what was there.
 */
export function keepUntilLastAnswer(server: Server): { endUnused(): void } {
  server.closeIdleConnections = () => {}
  const open = new Map<Socket, { answering: number; seenBytes: number | null }>()
  server.on('connection', (socket) => {
    open.set(socket, { answering: 0, seenBytes: null })
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const use = open.get(socket)
    if (!use) return
    use.answering += 1
    response.once('close', () => {
      use.answering -= 1
    })
  })
  return {
    endUnused() {
      for (const [socket, use] of open) {
        if (use.answering === 0 && use.seenBytes === socket.bytesRead) socket.destroy()
        else use.seenBytes = use.answering === 0 ? socket.bytesRead : null
      }
    },
  }
}
