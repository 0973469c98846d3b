import { connect, createServer, type Socket } from 'node:net'

/** One address for whichever process is the server at the moment; nobody answers there while there is none. */
export async function relay(to: () => string | null) {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const url = to()
    if (url === null) return void near.destroy()
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close() {
      for (const each of open) each.destroy()
      server.close()
    },
  }
}
