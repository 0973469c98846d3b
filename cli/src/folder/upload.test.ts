import { createHash, randomBytes } from 'node:crypto'
import { appendFile, truncate, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { newHome } from '../../test/run-here.ts'
import { connect } from '../instance/open.ts'
import { checksum } from './checksum.ts'
import { upload } from './upload.ts'
import { walk } from './walk.ts'

type Announced = { path: string; sha256?: string; size?: number }
type Trouble = (request: IncomingMessage, answer: ServerResponse, put: number) => boolean

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

const shaOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const refused = (code: string) => ({ success: false, error: code, code, requestId: 'r' })

/** A small store of contents that checks them as the real one does, and has troubles as a test says. */
async function store(trouble: Trouble = () => false, { old = false } = {}) {
  const kept = new Map<string, Buffer>()
  const announcements: Announced[][] = []
  const sealed: Announced[][] = []
  let puts = 0
  const missing = (files: Announced[]) => [
    ...new Set(files.flatMap(({ sha256 }) => (sha256 && !kept.has(sha256) ? [sha256] : []))),
  ]
  const sessionOf = (n: number) => ({
    uploadSessionId: `upl_${n}`,
    mode: 'local',
    state: 'open',
    missing: missing(announcements[n] ?? []),
  })
  server = await answering(async (request, answer) => {
    const [, n = '', rest = ''] = /folder-sessions(?:\/upl_(\d+))?(.*)/.exec(request.url ?? '') ?? []
    try {
      if (request.method === 'POST' && n === '') {
        const { files } = (await json(request)) as { files: Announced[] }
        announcements.push(files)
        return sendJson(answer, sessionOf(announcements.length - 1), 201)
      }
      if (request.method === 'POST' && rest === '/blobs') {
        if (old) return sendJson(answer, refused('route_not_found'), 404)
        if (trouble(request, answer, puts++)) return
        for await (const entry of request.pipe(createGunzip()).pipe(extract())) {
          const bytes = await buffer(entry)
          if (shaOf(bytes) !== entry.header.name) return sendJson(answer, refused('hash_mismatch'), 400)
          kept.set(entry.header.name, bytes)
        }
        return sendJson(answer, { success: true, received: 1 })
      }
      if (request.method === 'PUT') {
        if (trouble(request, answer, puts++)) return
        const bytes = await buffer(request)
        const hash = rest.split('/').at(-1) ?? ''
        if (shaOf(bytes) !== hash) return sendJson(answer, refused('hash_mismatch'), 400)
        kept.set(hash, bytes)
        return sendJson(answer, { success: true, stored: true })
      }
      const session = sessionOf(Number(n))
      if (request.method === 'GET') return sendJson(answer, session)
      if (session.missing.length > 0) return sendJson(answer, refused('blobs_missing'), 409)
      sealed.push(announcements[Number(n)] ?? [])
      sendJson(answer, { ...session, state: 'sealed' })
    } catch {
      answer.destroy()
    }
  })
  return { url: server.url, kept, announcements, sealed, puts: () => puts }
}

async function send(url: string, root: string, before = async () => {}, onProgress = () => {}) {
  const signal = AbortSignal.timeout(120_000)
  const { contents, links } = await walk(root)
  await checksum(root, contents, null, signal)
  await before()
  const instance = connect({ url, token: null, context: null }, signal)
  return upload(instance, { root, contents, links, mode: 'local', signal, onProgress })
}

async function someFiles(count: number): Promise<string> {
  const root = await newHome()
  for (let n = 0; n < count; n++) await writeFile(join(root, `f${n}`), `content ${n}`)
  await writeFile(join(root, 'large'), randomBytes(1_500_000))
  await writeFile(join(root, 'empty'), '')
  return root
}

test('what is missing is sent once, and nothing the second time', async () => {
  const root = await someFiles(30)
  await writeFile(join(root, 'same'), 'content 1')
  const { url, sealed, kept } = await store()
  expect(await send(url, root)).toMatchObject({ blobs: 32 })
  expect(kept.size).toBe(32)
  expect(await send(url, root)).toMatchObject({ blobs: 0, sent: 0 })
  expect(sealed.map((files) => files.length)).toEqual([33, 33])
})

test('small files go together, large ones alone', async () => {
  const { url, kept, puts } = await store()
  await send(url, await someFiles(1200))
  expect(kept.size).toBe(1202)
  expect(puts()).toBe(4)
})

test('an instance that is older than sending them together gets them one by one', async () => {
  const { url, kept, sealed } = await store(undefined, { old: true })
  await send(url, await someFiles(40))
  expect(kept.size).toBe(42)
  expect(sealed).toHaveLength(1)
})

test.each([
  ['grows', (file: string) => appendFile(file, 'more')],
  ['shrinks', (file: string) => truncate(file, 3)],
  ['changes', (file: string) => writeFile(file, 'CONTENT 7')],
])('a small file that %s before it is sent holds up no other, and is never deployed in half', async (_, change) => {
  const root = await someFiles(30)
  const { url, sealed, kept } = await store()
  await send(url, root, () => change(join(root, 'f7')))
  const [files = []] = sealed
  for (const { sha256, size } of files) if (sha256) expect(kept.get(sha256)?.length).toBe(size)
  expect(files).toHaveLength(32)
})

test('connections that are cut, a server that is away and one that is busy cost only time', async () => {
  const { url, sealed, kept } = await store((request, answer, put) => {
    if (put % 7 === 0) request.socket.destroy()
    else if (put % 7 === 1) sendJson(answer, {}, 503, { connection: 'close' })
    else if (put % 7 === 2) sendJson(answer, refused('rate_limited'), 429, { 'retry-after': '0.01' })
    else return false
    return true
  })
  await send(url, await someFiles(40))
  expect(kept.size).toBe(42)
  expect(sealed).toHaveLength(1)
})

test('a session that is gone is announced anew, and what arrived is not sent again', async () => {
  const { url, announcements, sealed, puts } = await store((request, answer, put) => {
    if (put !== 1) return false
    request.resume()
    sendJson(answer, refused('session_expired'), 409)
    return true
  })
  await send(url, await someFiles(1200))
  expect(announcements).toHaveLength(2)
  expect(sealed).toHaveLength(1)
  expect(puts()).toBeLessThan(8)
})

test.each([
  ['grows', (file: string) => appendFile(file, 'more')],
  ['shrinks', (file: string) => truncate(file, 400_000)],
  ['changes', (file: string) => writeFile(file, randomBytes(1_500_000))],
])('a file that %s before it is sent is never deployed in half', async (_, change) => {
  const root = await someFiles(3)
  const { url, sealed, kept } = await store()
  await send(url, root, () => change(join(root, 'large')))
  const [files = []] = sealed
  for (const { sha256, size } of files) if (sha256) expect(kept.get(sha256)?.length).toBe(size)
  expect(files).toHaveLength(5)
})

test('a file that changes whenever it is sent ends the upload, and nothing is sealed', async () => {
  const root = await someFiles(1)
  let n = 0
  const changing = await store((request, answer) => {
    if (!request.headers['content-length']?.startsWith('15')) return false
    request.resume()
    n++
    sendJson(answer, refused('hash_mismatch'), 400)
    return true
  })
  await expect(send(changing.url, root)).rejects.toMatchObject({
    code: 'file_changing',
    message: expect.stringContaining('large'),
  })
  expect(n).toBe(2)
  expect(changing.sealed).toEqual([])
})

test('a file that was empty or half written when it was read is not deployed so', async () => {
  const root = await someFiles(1)
  const { url, sealed, kept } = await store()
  await send(url, root, () => writeFile(join(root, 'empty'), 'what somebody was about to write'))
  const told = sealed[0]?.find(({ path }) => path === 'empty')
  expect(kept.get(told?.sha256 ?? '')?.toString()).toBe('what somebody was about to write')
})

test('what does not come through in five rounds is given up, and a refusal at once', async () => {
  const dead = await store((request) => {
    request.socket.destroy()
    return true
  })
  await expect(send(dead.url, await someFiles(1))).rejects.toMatchObject({ exit: 8 })
  server?.close()
  const full = await store((request, answer) => {
    request.resume()
    sendJson(answer, refused('disk_full'), 507)
    return true
  })
  await expect(send(full.url, await someFiles(1))).rejects.toMatchObject({ status: 507 })
  expect(full.announcements).toHaveLength(1)
})

test('a file of any size passes through a few megabytes of memory', async () => {
  const root = await newHome()
  await writeFile(join(root, 'image'), '')
  await truncate(join(root, 'image'), 300_000_000)
  const through = await store((request, answer) => {
    request.resume().once('end', () => {
      through.kept.set((request.url ?? '').split('/').at(-1) ?? '', Buffer.alloc(0))
      sendJson(answer, { success: true, stored: true })
    })
    return true
  })
  let most = 0
  const onProgress = () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers)
  }
  expect(await send(through.url, root, undefined, onProgress)).toMatchObject({ blobs: 1, sent: 300_000_000 })
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(100_000_000)
})
