import { type AddressInfo, createServer } from 'node:net'

/** Where applications write down what they were sent. */
export type Ledger = {
  address: { host: string; port: number }
  /** How often an order arrived at any application. */
  times(order: number): number
  close(): void
}

export async function openLedger(host: string): Promise<Ledger> {
  const seen = new Map<number, number>()
  const server = createServer((socket) => {
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) seen.set(Number(line), (seen.get(Number(line)) ?? 0) + 1)
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((listening, fail) => server.once('error', fail).listen(0, host, listening))
  const { port } = server.address() as AddressInfo
  return {
    address: { host, port },
    times: (order) => seen.get(order) ?? 0,
    close: () => server.close(),
  }
}
