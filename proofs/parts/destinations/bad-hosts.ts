import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createWeb, request } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../../test-kit/free-port.ts'

const HERE = '127.0.0.1'

/** Places on this machine that do not behave; `close` ends them all. */
export async function badHosts(s3Endpoint: string) {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const listen = async (server: Server): Promise<number> => {
    server.on('connection', (socket) => {
      sockets.add(socket.on('error', () => {}))
      socket.once('close', () => sockets.delete(socket))
    })
    servers.push(server.listen(0, HERE))
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }
  const hole = await blackHole()
  return {
    host: HERE,
    /** Nobody listens. */
    closed: await freePort(),
    /** Packets vanish: the queue of a process that is stopped is full. */
    blackHole: hole.port,
    /** Takes connections and says nothing. */
    silent: await listen(createServer(() => {})),
    /** A web page. */
    web: await listen(
      createWeb((_, answer) => answer.writeHead(404, { 'content-type': 'text/html' }).end('<html>?</html>')),
    ),
    /** Takes a request and hangs up. */
    hangsUp: await listen(createServer((socket) => void socket.once('data', () => socket.destroy()))),
    /** The real storage, but one byte of what is read is another one. */
    flips: await listen(flipping(new URL(s3Endpoint))),
    /** The real storage, which stops to answer when something is read. */
    stalls: await listen(stalling(new URL(s3Endpoint))),
    /** The real storage, which does not say what time it is. */
    timeless: await listen(front(new URL(s3Endpoint), { timeless: true })),
    close() {
      hole.child.kill('SIGKILL')
      for (const filler of hole.fillers) filler.destroy()
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
    },
  }
}

async function blackHole(): Promise<{ port: number; child: ChildProcess; fillers: Socket[] }> {
  const port = await freePort()
  const program = `require('node:net').createServer().listen({ port: ${port}, host: '${HERE}', backlog: 1 }, () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  const fillers = Array.from({ length: 6 }, () => connect({ port, host: HERE }).on('error', () => {}))
  await new Promise((done) => setTimeout(done, 500))
  return { port, child, fillers }
}

type Change = { read?: (body: Buffer) => Buffer; stall?: boolean; timeless?: boolean }
const flipping = (to: URL) =>
  front(to, { read: (body) => Buffer.concat([Buffer.from([(body[0] ?? 0) ^ 1]), body.subarray(1)]) })
const stalling = (to: URL) => front(to, { stall: true })

/** Passes everything on as it is, so that signatures hold, except what is read. */
function front(to: URL, { read, stall, timeless }: Change): Server {
  return createWeb((asked, answer) => {
    const reads = asked.method === 'GET' && !asked.url?.includes('list-type')
    if (stall && reads) return
    const { method, url: path, headers } = asked
    const passed = request({ host: to.hostname, port: to.port, method, path, headers }, async (got) => {
      const chunks: Buffer[] = []
      for await (const chunk of got) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const changed = reads && read && got.statusCode === 200 ? read(body) : body
      const { date, ...others } = got.headers
      answer.sendDate = false
      answer.writeHead(got.statusCode ?? 502, timeless ? others : { ...others, date }).end(changed)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
}
