import { createServer } from 'node:http'

const port = process.env.PORT ?? 5000
createServer((request, response) => response.end('started by main')).listen(port)
