import { type AddressInfo, createServer, type Socket } from 'node:net'

// Servers that are no name servers, for the tests of DNS updates.

export type Stand = { address: string; stop(): Promise<void> }

/** Takes connections on loopback and does with each what it is told. */
export async function stand(onConnection: (socket: Socket) => void): Promise<Stand> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening)
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Answers each question with what `of` makes of it. */
export const answering = (of: (question: Buffer) => Buffer) =>
  stand((socket) => {
    socket.once('data', (chunk: Buffer) => {
      const answer = of(chunk.subarray(2))
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      socket.end(Buffer.concat([length, answer]))
    })
  })
