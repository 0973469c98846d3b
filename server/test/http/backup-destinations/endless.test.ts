import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { s3Ground } from '../../../../test-kit/storage-places.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { reverifyDue } from '../../../src/core/backups/reverify.ts'
import { create, newName } from './destinations.ts'
import { asking } from './fake-storage.ts'

/** Far more than what lies in buffers and sockets on the way; a fast storage sends it in a moment. */
const MOST = 64 * 1024 * 1024
const CHUNK = Buffer.alloc(256 * 1024, 'x')

// Between us and the lab's storage there is a stand-in on this machine.
const world = await startWorld({ allowedNetworks: ['127.0.0.0/8'] })
const org = await world.org()
const { preflight, show } = asking(org)
const ground = await s3Ground()
const upstream = new URL(ground.place.endpoint ?? '')
let sent = 0
let speak: (answer: ServerResponse) => void = () => {}

/** The lab's own storage, but for what it says when an object is read. */
const between = createServer((asked, answer) => {
  if (asked.method === 'GET' && asked.url?.includes('/probe-')) return speak(answer)
  const { method, url: path, headers } = asked
  const onward = request({ host: upstream.hostname, port: upstream.port, method, path, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  asked.pipe(onward)
})
await new Promise<void>((done) => between.listen(0, '127.0.0.1', done))
afterAll(async () => {
  between.closeAllConnections()
  between.close()
  await ground.remove()
})
beforeEach(() => {
  sent = 0
})

const { bucket, region, accessKeyId, secretAccessKey } = ground.place
const body = () => ({
  ...{ kind: 's3_compatible', name: newName(), bucket, region, accessKeyId, secretAccessKey, forcePathStyle: true },
  endpoint: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
})

/** As fast as it is taken, for ever. */
const flood = (status: number) => (answer: ServerResponse) => {
  answer.writeHead(status)
  const more = () => {
    while (!answer.destroyed && answer.write(CHUNK)) sent += CHUNK.length
  }
  answer.on('drain', more)
  more()
}

describe('a storage that gives back without end is read no further than what was written', () => {
  test.each([
    ['an object', 200],
    ['why it is refused', 403],
    ['why it failed', 500],
  ])('as %s', async (_, status) => {
    speak = flood(status)
    const { id } = await create(org, body())
    const over = AbortSignal.timeout(20_000)
    const { reason } = await preflight(id)
    expect(over.aborted).toBe(false)
    expect(reason).toMatch(/^read: /)
    expect(sent).toBeLessThan(MOST)
    expect(await ground.left()).toEqual([])
  })

  test('nor by the daily check', async () => {
    speak = flood(200)
    const { id } = await create(org, body())
    const { db } = world.platform
    await db
      .updateTable('backupDestination')
      .set({ nextVerifyAt: new Date(0) })
      .where('id', '=', id)
      .execute()
    await reverifyDue(world.platform, new AbortController().signal)
    expect((await show(id)).lastVerifyError).toMatch(/^read: What was read back is not what was written/)
    expect(sent).toBeLessThan(MOST)
  })

  test('and not for longer than the deadline, when it is never silent', { timeout: 40_000 }, async () => {
    speak = (answer) => {
      answer.writeHead(200)
      const drip = setInterval(() => answer.write('x'), 200)
      answer.on('close', () => clearInterval(drip))
    }
    const { id } = await create(org, body())
    const over = AbortSignal.timeout(20_000)
    const { reason } = await preflight(id)
    expect(over.aborted).toBe(false)
    expect(reason).toMatch(/^read: It did not answer in time/)
  })
})
