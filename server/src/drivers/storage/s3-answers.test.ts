import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { processorMs } from '../../../../test-kit/processor.ts'
import { content } from '../../../../test-kit/storage.ts'
import { storageOpener } from './open.ts'
import type { S3Place, Storage, StorageFailure } from './storage.ts'

const MIB = 1024 * 1024
const signal = new AbortController().signal
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Answering = (answer: ServerResponse) => void

/** An endpoint that answers everything in one way, once it has read the request. */
async function endpoint(answering: Answering) {
  const seen = { requests: 0, bytes: 0 }
  const server = createServer(async (request, answer) => {
    seen.requests += 1
    answer.on('error', () => {})
    const { socket } = request
    socket.once('close', () => {
      seen.bytes += socket.bytesWritten
    })
    for await (const _ of request);
    answering(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const place: S3Place = {
    kind: 's3_compatible',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: null,
    bucket: 'bucket',
    accessKeyId: 'AKIDEXAMPLE12345678',
    secretAccessKey: 'wJalrXUtnFEMIexample',
    forcePathStyle: true,
    prefix: '',
  }
  const storage = await storageOpener.open(place, { signal, connectMs: 4000, stallMs: 4000 })
  cleanups.push(() => storage.close())
  return { place, storage, seen }
}

/** Without an end, as fast as it is read. */
function endless(answer: ServerResponse, status: number, piece: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml' })
  const text = Buffer.from(piece.repeat(Math.ceil((256 * 1024) / piece.length)))
  let ended = false
  answer.once('close', () => {
    ended = true
  })
  const more = (): unknown => ended || (answer.write(text) ? setImmediate(more) : answer.once('drain', more))
  more()
}

const whole = (status: number, text: string) => (answer: ServerResponse) =>
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(text)

async function refusal(work: Promise<unknown>): Promise<StorageFailure> {
  return work.then(
    () => expect.fail('it worked'),
    (error) => error,
  )
}

const calls: [string, (storage: Storage) => Promise<unknown>][] = [
  ['put', (storage) => storage.put('a', content(100), { signal })],
  ['get', (storage) => storage.get('a', { signal })],
  ['list', (storage) => storage.list('', { signal })],
  ['delete', (storage) => storage.delete('a', { signal })],
  ['deleteMany', (storage) => storage.deleteMany(['a'], { signal })],
  ['sweep', (storage) => storage.sweep({ signal, olderThan: new Date() })],
]

test.for(calls)(
  '%s: an answer without an end is refused after a few megabytes',
  { timeout: 30_000 },
  async ([name, call]) => {
    for (const status of [200, 400, 503]) {
      // An object has no bound but the reader's.
      if (name === 'get' && status === 200) continue
      const { storage, seen } = await endpoint((answer) => endless(answer, status, '<a>x</a>'))
      const before = process.memoryUsage.rss()
      const failure = await refusal(call(storage))
      expect(failure).toMatchObject({ driver: 'storage', code: 'failed' })
      expect(failure.message).toContain('no answer of S3')
      expect(failure.hint).toContain('S3 service')
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB)
      storage.close()
      await expect.poll(() => seen.bytes, { timeout: 5000 }).toBeGreaterThan(0)
      // What lies in the buffers of the connection is sent, too.
      expect(seen.bytes / seen.requests).toBeLessThan(16 * MIB)
    }
  },
)

const LONG = 2 * MIB - 100
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length))

test.for([
  ['elements', 400, `<Error>${filled('<a>x</a>', 32 * MIB)}</Error>`],
  ['declarations', 400, filled('<!DOCTYPE>', 60_000)],
  ['depth', 400, filled('<a>', 60_000)],
  ['elements in a list', 200, `<r>${filled('<a/>', LONG)}</r>`],
  ['entities in a list', 200, `<r>${filled('&#65;', LONG)}</r>`],
  ['declarations in a list', 200, filled('<!DOCTYPE>', LONG)],
  ['a word in a list', 200, filled('x', LONG)],
  ['tags that stay open in a list', 200, `<r ${filled("a='1' ", 500_000)}${filled('<', 45_000)}`],
] as const)('%s without number do not stop everything else', { timeout: 20_000 }, async ([, status, text]) => {
  const { storage } = await endpoint(whole(status, text))
  const call = () => (status === 200 ? storage.list('', { signal }) : storage.put('a', content(100), { signal }))
  let failure: StorageFailure | undefined
  const taken = await processorMs(async () => {
    failure = await refusal(call())
  })
  expect(failure).toMatchObject({ driver: 'storage', code: 'failed' })
  expect(failure?.message).toContain('no answer of S3')
  expect(taken).toBeLessThan(1000)
})

test('the most that is read takes less than a second of the processor', { timeout: 20_000 }, async () => {
  const text = `<r>${filled('<a/>', 190_000)}${filled('&#65;', 240_000)}${filled('x', 1_600_000)}</r>`
  const { storage } = await endpoint(whole(200, text))
  expect(await processorMs(() => storage.list('', { signal }))).toBeLessThan(1000)
})

test('a page of a thousand keys of the greatest length is read', async () => {
  const keys = Array.from({ length: 1000 }, (_, at) => `${'k'.repeat(200)}/`.repeat(4) + `${at}`.padStart(90, 'k'))
  const entry = (key: string) =>
    `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;${'0'.repeat(32)}&quot;</ETag>` +
    `<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>5</Size>` +
    `<Owner><ID>${'0'.repeat(64)}</ID><DisplayName>someone</DisplayName></Owner><StorageClass>STANDARD</StorageClass></Contents>`
  const text = `<?xml version="1.0"?><ListBucketResult>${keys.map(entry).join('')}</ListBucketResult>`
  const { storage } = await endpoint(whole(200, text))
  const { objects } = await storage.list('', { signal })
  expect(objects.map(({ key }) => key).join() === keys.join()).toBe(true)
})

test('what a status says is believed, also with a page that is too long', async () => {
  for (const [status, code] of [
    [403, 'denied'],
    [404, 'not_found'],
  ] as const) {
    const { storage } = await endpoint(whole(status, filled('<html>', MIB)))
    expect(await refusal(storage.get('a', { signal }))).toMatchObject({ code })
  }
})

test('no piece of an access key is left where the words of the other side are cut', async () => {
  for (const words of [270, 290, 295, 3980, 3990, 3995]) {
    const { place, storage } = await endpoint((answer) => {
      const said = `${filled('word ', words)}${place.accessKeyId} is not known ${filled(place.accessKeyId, 9000)}`
      const code = `${'C'.repeat(90)}${place.secretAccessKey}`
      whole(400, `<Error><Code>${code}</Code><Message>${said}</Message></Error>`)(answer)
    })
    const failure = await refusal(storage.put('a', content(100), { signal }))
    const text = `${failure.message} ${failure.hint} ${failure.cause}`
    expect(text).toContain('word word')
    for (const secret of [place.accessKeyId, place.secretAccessKey]) expect(text).not.toContain(secret.slice(0, 6))
  }
})
