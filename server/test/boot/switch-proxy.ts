import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type SwitchProxy = {
  port: number
  /** Ends every connection, and leads new ones there; undefined: nowhere. */
  lead(to: number | undefined): void
  close(): void
}

/** An address that leads to one PostgreSQL now and to another one later, as a failover does it. */
export async function switchProxy(to: number): Promise<SwitchProxy> {
  const sockets = new Set<Socket>()
  let target: number | undefined = to
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(next) {
      target = next
      for (const socket of sockets) socket.destroy()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
