import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { GitHost } from './start.ts'

type Asked = { method?: string; headers?: Record<string, string>; body?: string }
export type Response = { status: number; headers: IncomingHttpHeaders; text: string }

/** One request by the host's own name, through its proxy, trusting its authority: as every client does it. */
export async function ask(host: Pick<GitHost, 'proxy' | 'caFile'>, address: string, asked: Asked = {}) {
  const url = new URL(address)
  const socket = await tunnel(host.proxy, `${url.hostname}:443`)
  const secure = connect({ socket, servername: url.hostname, ca: readFileSync(host.caFile) })
  return new Promise<Response>((done, failed) => {
    socket.once('error', failed)
    secure.once('error', failed)
    const { method = 'GET', headers = {}, body } = asked
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const all = { 'user-agent': 'lab', connection: 'close', ...headers, ...length }
    const call = httpsRequest(url, { method, headers: all, createConnection: () => secure }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    call.once('error', failed)
    call.end(body)
  })
}

const tunnel = (proxy: string, path: string) =>
  new Promise<Duplex>((connected, failed) => {
    const call = httpRequest(proxy, { method: 'CONNECT', path, agent: false })
    call.once('connect', (_, socket) => connected(socket))
    call.once('error', failed)
    call.end()
  })
