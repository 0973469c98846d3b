import { createServer } from 'node:http'

const port: number = Number(process.env.PORT ?? 3000)
createServer((_, response) => response.end('typed, run as it is')).listen(port)
