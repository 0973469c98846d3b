/**
 * Runs in the container, so it is text. MODE says how it behaves: good, exit, done, crash, crash-once, nolisten, elsewhere, loopback, oom, sick,
 * sick-later, leak. `/` answers the version, `/healthz` how it feels.
 */
export const application = `
const http = require('node:http')
const { MODE = 'good', VERSION = 'v1', PORT, BOOT_MS = 0, AFTER_MS = 5000, SECRET } = process.env
console.log('booting')
const later = (work) => setTimeout(work, +AFTER_MS)
if (MODE === 'done') process.exit(0)
if (MODE === 'exit') { console.error('fatal: DATABASE_URL is missing'); process.exit(3) }
if (MODE === 'leak') { console.error('cannot sign in with ' + SECRET); process.exit(4) }
if (MODE === 'crash') later(() => { console.error('fatal: lost the database'); process.exit(7) })
if (MODE === 'oom') setTimeout(() => { const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 10) }, 300)
let sick = MODE === 'sick'
if (MODE === 'sick-later') later(() => { sick = true })
const server = http.createServer((request, response) => {
  if (request.url !== '/healthz') return response.end(VERSION)
  response.statusCode = sick ? 500 : 200
  response.end(sick ? 'the database cannot be reached' : 'ok')
})
const listen = () => {
  if (MODE === 'nolisten') return setInterval(() => {}, 1000)
  if (MODE === 'elsewhere') return server.listen(9999, () => http.createServer().listen(9229, '127.0.0.1'))
  server.listen(PORT, MODE === 'loopback' ? '127.0.0.1' : '0.0.0.0', () => console.log('listening', VERSION))
}
setTimeout(listen, +BOOT_MS)
process.on('SIGTERM', () => { server.close(() => process.exit(0)); server.closeIdleConnections(); setTimeout(() => process.exit(0), 2000).unref() })
`
