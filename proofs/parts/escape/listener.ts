import { createServer, type Socket } from 'node:net'

export type Listener = {
  address: string
  /** All that has arrived since the last look. */
  take(): string
  close(): void
}

const MOST_BYTES = 1 << 20

/** Where a hostile program would send what it has read; also a registry that is asked for things. Keeps every word. */
export async function startListener(host: string): Promise<Listener> {
  let heard = ''
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('data', (bytes) => {
      if (heard.length < MOST_BYTES) heard += bytes.toString('latin1')
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const { port } = server.address() as { port: number }
  return {
    address: `${host}:${port}`,
    take() {
      const all = heard
      heard = ''
      return all
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
