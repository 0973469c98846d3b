// The application that is rolled out under load. settings.json says which version it is and how it behaves.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { hostname } from 'node:os'

const { version, manner, ledger, fallsAfterMs } = JSON.parse(readFileSync('settings.json', 'utf8'))
const streams = new Set()

/** Each body that arrived is written down elsewhere before it is answered: twice would show there. */
const book = connect({ ...ledger, noDelay: true })
book.on('error', () => process.exit(4))

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://shop')
  response.setHeader('x-task', hostname())
  const answer = (text) => response.end(`${version} ${text}`)
  if (pathname === '/healthz') response.writeHead(manner === 'sick' ? 500 : 200).end()
  else if (pathname === '/slow') setTimeout(answer, Number(searchParams.get('ms')), 'slow')
  else if (pathname === '/events') tell(response)
  else if (request.method === 'POST') take(request, answer)
  else answer(pathname)
})

function take(request, answer) {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts)
    book.write(`${request.headers['x-order']}\n`)
    answer(createHash('sha256').update(body).digest('hex'))
  })
}

/** Server-sent events for as long as the application lives. */
function tell(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write(`data: ${version}\n\n`), 500)
  const end = () => response.end('event: bye\ndata: stopping\n\n')
  streams.add(end)
  response.on('close', () => {
    clearInterval(timer)
    streams.delete(end)
  })
}

/** A WebSocket that sends one text after the other and says goodbye with "going away". */
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const timer = setInterval(() => socket.write(Buffer.from([0x81, 2, 0x68, 0x69])), 500)
  // The closing handshake: the client's own close frame first, only then the end of the connection.
  const end = () => {
    clearInterval(timer)
    socket.write(Buffer.from([0x88, 2, 0x03, 0xe9]))
    const late = setTimeout(() => socket.destroy(), 5000)
    socket.on('data', (part) => isClose(part) && socket.end())
    socket.on('close', () => clearTimeout(late))
  }
  streams.add(end)
  socket.on('end', () => socket.end())
  socket.on('error', () => {})
  socket.resume()
  socket.on('close', () => {
    clearInterval(timer)
    streams.delete(end)
  })
})

/** A client masks its frames, and these ones send nothing else. */
const isClose = (part) => part[0] === 0x88

const stop = {
  /** What every framework's documentation says: accept no more, finish what was begun, end what has no end. */
  drains() {
    server.close(() => process.exit(0))
    for (const end of streams) end()
  },
  falls: () => server.close(() => process.exit(0)),
  leaves: () => process.exit(0),
  ignores() {},
}

process.on('SIGTERM', stop[manner] ?? stop.leaves)
if (manner === 'falls') setTimeout(() => process.exit(5), fallsAfterMs)
if (manner === 'crashes') setTimeout(() => process.exit(3), 500)
else book.on('connect', () => server.listen(Number(process.env.PORT)))
