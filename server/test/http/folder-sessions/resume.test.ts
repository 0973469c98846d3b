import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { announce, file, onDisk, put, SESSIONS, seal, shaOf, show, tarOf } from './folder.ts'

const world = await startWorld()
const { owner } = await world.org()
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as AddressInfo

/** A request on a real socket, whose body the test sends piece by piece. */
function open(method: string, path: string, headers: Record<string, string>) {
  const sent = request({ port, method, path, headers: { authorization: `Bearer ${owner.token}`, ...headers } })
  sent.on('error', () => {})
  return sent
}
const OCTETS = { 'content-type': 'application/octet-stream' }

const unfinished = async () => (await readdir(`${world.dataDir}/blobs/.unfinished`)).length

test('a cut connection leaves nothing visible, and the next ask lists only what is missing', async () => {
  const contents = ['one', 'two', 'x'.repeat(500_000)]
  const files = contents.map((content, i) => file(`f${i}`, content))
  const { uploadSessionId: id } = (await announce(owner.api, files)).body
  await put(owner.api, id, 'one')
  await put(owner.api, id, 'two')
  const before = await onDisk(world)

  const big = contents[2] ?? ''
  const sent = open('PUT', `${SESSIONS}/${id}/blobs/${shaOf(big)}`, { ...OCTETS, 'content-length': '500000' })
  sent.write(big.slice(0, 300_000))
  await expect.poll(unfinished).toBe(1)
  expect((await show(owner.api, id)).body.missing).toEqual([shaOf(big)])
  sent.destroy()
  await expect.poll(unfinished).toBe(0)

  expect(await onDisk(world)).toEqual(before)
  expect((await seal(owner.api, id)).body.missing).toEqual([shaOf(big)])
  expect((await announce(owner.api, files)).body.missing).toEqual([shaOf(big)])
  expect((await put(owner.api, id, big)).body.stored).toBe(true)
  expect((await seal(owner.api, id)).body.state).toBe('sealed')
})

test('a cut archive leaves nothing at all', async () => {
  const before = await onDisk(world)
  const tar = gzipSync(await tarOf([1, 2, 3].map((n) => ({ name: `f${n}`, content: randomBytes(400_000) }))))
  const sent = open('POST', SESSIONS, { 'content-type': 'application/gzip', 'content-length': String(tar.length) })
  sent.write(tar.subarray(0, 900_000))
  await expect.poll(() => onDisk(world)).toHaveLength(before.length + 2)
  sent.destroy()
  await expect.poll(() => onDisk(world)).toEqual(before)
  expect(await unfinished()).toBe(0)
})

test('a refusal reaches the sender while it is still sending, and the connection stays usable', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { uploadSessionId: id } = (await announce(owner.api, [file('f', 'short')])).body
  const path = `${SESSIONS}/${id}/blobs/${shaOf('short')}`
  const headers = { authorization: `Bearer ${owner.token}`, ...OCTETS }
  const sent = request({ port, agent, method: 'PUT', path, headers })
  sent.write('far too long')
  const [answer] = await once(sent, 'response')
  expect(answer.statusCode).toBe(400)
  answer.resume()
  for (let i = 0; i < 50; i++) sent.write(Buffer.alloc(100_000))
  sent.end()
  await once(sent, 'close')
  const next = request({ port, agent, method: 'PUT', path, headers: { ...headers, 'content-length': '5' } })
  next.end('short')
  const [second] = await once(next, 'response')
  expect(second.statusCode).toBe(200)
  agent.destroy()
})

test('a refused archive is answered while it is still being sent', async () => {
  const bad = gzipSync(await tarOf([{ name: '/etc/passwd', content: 'x' }]))
  const sent = open('POST', SESSIONS, { 'content-type': 'application/gzip' })
  sent.write(bad)
  const [answer] = await once(sent, 'response')
  expect(answer.statusCode).toBe(400)
  sent.destroy()
})
