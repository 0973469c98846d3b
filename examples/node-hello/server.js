const http = require('node:http')
const version = require('./version.json').version

http
  .createServer((request, response) => {
    if (request.url === '/healthz') return response.end('ok')
    response.end(JSON.stringify({ hello: 'world', version, greeting: process.env.GREETING ?? null }))
  })
  .listen(process.env.PORT ?? 3000, () => console.log(`listening, version ${version}`))
