// Keeps its data on a volume: what it found there when it started, and one line per start. settings.json says its version.
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { version } = JSON.parse(readFileSync('settings.json', 'utf8'))
appendFileSync('/data/starts', `${version}\n`)

const server = createServer((request, response) => {
  if (request.url === '/healthz') response.end('fine')
  else response.end(`${version} after ${readFileSync('/data/starts', 'utf8').trim().split('\n').join(' ')}`)
})
process.on('SIGTERM', () => server.close(() => process.exit(0)))
server.listen(Number(process.env.PORT))
