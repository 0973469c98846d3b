import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FolderSession } from '@slipway/contract/folder-sessions'
import { type Content, hashOf } from './upload-contents.ts'

type Refused = { code?: string; error?: string }
type Stored = Refused & { stored?: boolean }
export type Uploader = ReturnType<typeof uploader>

const PATH = '/api/projects/folder-sessions'
const OCTETS = 'application/octet-stream'
/** As often as the command line sends what the instance has no time for, and waits about as long before. */
const TRIES = 5
const PAUSE_MS = 2000

/** Uploads as a client would, over real connections. */
export function uploader(url: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const begin = (method: string, path: string, type: string, length?: number): ClientRequest =>
    request(`${url}${PATH}${path}`, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': type,
        ...(length !== undefined && { 'content-length': length }),
      },
    })

  async function call<T>(method: string, path: string, type: string, body: Buffer | Readable): Promise<T> {
    const sent = begin(method, path, type, Buffer.isBuffer(body) ? body.length : undefined)
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    if (Buffer.isBuffer(body)) sent.end(body)
    else await pipeline(body, sent)
    const [answer] = await answered
    return JSON.parse(Buffer.concat(await answer.toArray()).toString()) as T
  }

  const json = <T>(method: string, path: string, body?: unknown) =>
    call<T>(method, path, 'application/json', Buffer.from(body === undefined ? '' : JSON.stringify(body)))

  const announce = (contents: (Content | object)[]) =>
    json<FolderSession>('POST', '', {
      files: contents.map((content) => ('bytes' in content ? described(content as Content) : content)),
    })
  const put = (id: string, content: Content) =>
    call<Stored>('PUT', `/${id}/blobs/${hashOf(content)}`, OCTETS, content.bytes)
  const seal = (id: string) => json<FolderSession>('POST', `/${id}/seal`)

  return {
    announce,
    put,
    seal,
    show: (id: string) => json<FolderSession>('GET', `/${id}`),
    tryAnnounce: (files: object[]) => json<Refused>('POST', '', { files }),
    tryPut: (id: string, hash: string, bytes: Buffer) => call<Refused>('PUT', `/${id}/blobs/${hash}`, OCTETS, bytes),
    putStream: (id: string, hash: string, body: AsyncIterable<Buffer>) =>
      call('PUT', `/${id}/blobs/${hash}`, OCTETS, Readable.from(body)),
    sendTar: (tar: Readable) => call<FolderSession>('POST', '', 'application/gzip', tar),

    /** Sends half of a content, then cuts the connection, or does what is said instead. */
    async putHalf(id: string, content: Content, cut?: () => Promise<void>): Promise<void> {
      const sent = begin('PUT', `/${id}/blobs/${hashOf(content)}`, OCTETS, content.bytes.length)
      const closed = new Promise<void>((done) => sent.on('error', () => done()).on('close', done))
      await new Promise<void>((done) => sent.write(content.bytes.subarray(0, content.bytes.length / 2), () => done()))
      await (cut ? cut() : sent.destroy())
      await closed
    },

    /** A whole folder: announce, send what is missing, seal. */
    async send(contents: Content[], atOnce: number): Promise<{ sent: number; state: string; again: number }> {
      const { uploadSessionId: id, missing } = await announce(contents)
      const wanted = new Set(missing)
      const left = contents.filter((content) => wanted.has(hashOf(content)))
      let stored = 0
      let again = 0
      const work = async () => {
        for (let content = left.pop(); content; content = left.pop()) {
          let answer = await put(id, content)
          for (let tries = 1; tries < TRIES && answer.code === 'database_unavailable'; tries += 1) {
            again += 1
            await new Promise((soon) => setTimeout(soon, PAUSE_MS))
            answer = await put(id, content)
          }
          if (answer.stored) stored += 1
          else console.log(`  not stored: ${JSON.stringify(answer)}`)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return { sent: stored, state: (await seal(id)).state, again }
    },
  }
}

const described = (content: Content) => ({ path: content.path, sha256: hashOf(content), size: content.bytes.length })
