import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A hop that asks nobody anything: it reads the answer whole, as ours does, and hands it on. What it reaches in the place of the instance is
 * what this machine leaves for one process more.
 */
export async function startBareHop(to: { port: number; token: string }): Promise<{ port: number; stop(): void }> {
  const child: ChildProcess = fork(import.meta.filename, [String(to.port), to.token])
  process.once('exit', () => child.kill())
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(30_000) })
  return { port: port as number, stop: () => child.kill() }
}

function serve(port: number, token: string): void {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}` }
  // As long as the instance keeps a connection that is not used.
  const server = createServer({ keepAliveTimeout: 72_000 }, ({ method, url: path }, answer) => {
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answered) => {
      const chunks: Buffer[] = []
      answered.on('data', (chunk: Buffer) => chunks.push(chunk))
      answered.on('end', () => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answer.end(Buffer.concat(chunks))
      })
    })
    onward.once('error', () => answer.destroy())
    onward.end()
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

if (import.meta.main) serve(Number(process.argv[2]), process.argv[3] ?? '')
