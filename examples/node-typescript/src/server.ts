import { createServer } from 'node:http'

const port: number = Number(process.env.PORT ?? 3000)
createServer((_, response) => response.end('typed and compiled')).listen(port)
