import { afterEach, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { content, lineTo, sha256Of, silentHost } from '../../../../test-kit/storage.ts'
import { s3Ground } from '../../../../test-kit/storage-places.ts'
import { storageOpener } from './open.ts'
import type { OpenOptions, S3Place, StorageFailure } from './storage.ts'

const MIB = 1024 * 1024
const signal = new AbortController().signal
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function setUp(user: 'main' | 'small' = 'main') {
  const ground = await s3Ground(user)
  cleanups.push(ground.remove)
  return ground
}

async function open(place: S3Place, options: Partial<OpenOptions> = {}) {
  const storage = await storageOpener.open(place, { signal, ...options })
  cleanups.push(() => storage.close())
  return storage
}

const refusal = async (place: S3Place, options: Partial<OpenOptions> = {}): Promise<StorageFailure> => {
  const storage = await open(place, options)
  return storage.put('a', content(100), { signal }).then(
    () => expect.fail('it worked'),
    (error) => error,
  )
}

test('a wrong key, a wrong secret, a missing and a foreign bucket are told apart, without the secrets', async () => {
  const { place } = await setUp()
  const failures = {
    auth: await refusal({ ...place, accessKeyId: 'WRONGKEYID' }),
    secret: await refusal({ ...place, secretAccessKey: 'wrong-secret' }),
    bucket: await refusal({ ...place, bucket: 'not-there-at-all' }),
    foreign: await refusal({ ...place, ...labPart('s3').other }),
  }
  expect(Object.values(failures).map(({ code }) => code)).toEqual(['auth', 'auth', 'bucket_missing', 'denied'])
  for (const failure of Object.values(failures)) {
    expect(failure.message).toContain(place.endpoint)
    for (const secret of ['WRONGKEYID', 'wrong-secret', place.secretAccessKey, labPart('s3').other.secretAccessKey])
      expect(`${failure.message} ${failure.hint} ${failure.cause} ${JSON.stringify(failure)}`).not.toContain(secret)
  }
})

test('a quota that is used up is called so, and nothing is left', async () => {
  const { place, left } = await setUp('small')
  const storage = await open(place)
  let failure: StorageFailure | undefined
  // The gateway counts with a delay.
  for (let round = 0; round < 40 && !failure; round += 1) {
    await storage.put(`a${round}`, content(400_000), { signal }).catch((error) => {
      failure = error
    })
  }
  expect(failure?.code).toBe('quota')
  expect((await left()).filter((name) => name.startsWith('unfinished'))).toEqual([])
})

test('TLS works with the authority that was given, and without it says that it is about TLS', async () => {
  const { place } = await setUp()
  const { tlsEndpoint, roots, endpoint } = labPart('s3')
  const storage = await open({ ...place, endpoint: tlsEndpoint, roots })
  await storage.put('a', content(100), { signal })
  await storage.delete('a', { signal })
  expect((await refusal({ ...place, endpoint: tlsEndpoint })).code).toBe('tls')
  expect((await refusal({ ...place, endpoint: endpoint.replace('http:', 'https:') })).code).toBe('tls')
  expect((await refusal({ ...place, endpoint: 'ftp://x' }).catch((error) => error)).code).toBe('bad_place')
})

test('a closed port, a silent host and an unknown name fail in time, and say which it was', async () => {
  const { place } = await setUp()
  const { port, stop } = await silentHost()
  cleanups.push(stop)
  const soon = { connectMs: 500, stallMs: 500 }
  expect((await refusal({ ...place, endpoint: 'http://127.0.0.1:1' })).code).toBe('unreachable')
  expect((await refusal({ ...place, endpoint: 'http://nowhere.invalid' })).code).toBe('name_not_found')
  expect((await refusal({ ...place, endpoint: `http://127.0.0.1:${port}` }, soon)).code).toBe('timeout')
})

test('an address that may not be used is not connected to, by number or by name', async () => {
  const { place } = await setUp()
  const asked: string[] = []
  const mayConnect = (address: string) => {
    asked.push(address)
    return false
  }
  expect((await refusal(place, { mayConnect })).code).toBe('address_refused')
  const byName = { ...place, endpoint: 'http://localhost:7480' }
  expect((await refusal(byName, { mayConnect })).code).toBe('address_refused')
  expect(asked).toContain('127.0.0.1')
  const storage = await open(place, { mayConnect: (address) => place.endpoint?.includes(address) === true })
  await storage.put('a', content(10), { signal })
})

test('a byte that changes on the way is noticed, and nothing of it is kept', async () => {
  const { reached, through, left } = await setUp()
  const line = await lineTo(reached?.host ?? '', reached?.port ?? 0)
  cleanups.push(line.stop)
  const storage = await open(through(line.port) as S3Place)
  for (const bytes of [200_000, 40 * MIB]) {
    // In the middle of a body: requests begin with their headers.
    line.falsify((chunk) => {
      if (chunk.length > 1000 && !chunk.includes('HTTP/1.1')) chunk[500] = (chunk[500] ?? 0) ^ 1
      return chunk
    })
    await expect(storage.put('a', content(bytes), { signal })).rejects.toMatchObject({ code: 'corrupted' })
    line.falsify(undefined)
    expect(await left()).toEqual([])
  }
})

test('a large object whose last answer got lost is known to be stored', async () => {
  const { reached, through, left } = await setUp()
  const line = await lineTo(reached?.host ?? '', reached?.port ?? 0)
  cleanups.push(line.stop)
  const storage = await open(through(line.port) as S3Place)
  let completed = 0
  line.falsify((chunk) => {
    if (chunk.includes('<CompleteMultipartUpload') || /^POST .*uploadId=/.test(chunk.toString('latin1', 0, 300))) {
      completed += 1
      // It goes out whole, and the line breaks before the answer is back.
      if (completed === 1) setImmediate(() => line.cutAfter(0, 0))
    }
    return chunk
  })
  const result = await storage.put('a', content(40 * MIB), { signal })
  expect(completed).toBeGreaterThan(0)
  expect(result.sha256).toBe(await sha256Of(content(40 * MIB)))
  expect(await left()).toEqual(['some/where/a'])
})

test('a server that stops in the middle of an object does not hold the reader for ever', async () => {
  const { reached, through, place } = await setUp()
  const whole = await open(place)
  await whole.put('a', content(40 * MIB), { signal })
  const line = await lineTo(reached?.host ?? '', reached?.port ?? 0)
  cleanups.push(line.stop)
  const storage = await open(through(line.port) as S3Place, { stallMs: 700 })
  const stream = await storage.get('a', { signal })
  line.hold()
  await expect(sha256Of(stream)).rejects.toMatchObject({ code: 'timeout' })
})

test('objects that others put there under names no file could have are not listed', async () => {
  const { place } = await setUp()
  const storage = await open({ ...place, prefix: '' })
  const nested = await open({ ...place, prefix: 'x' })
  await nested.put('a', content(1), { signal })
  expect((await storage.list('', { signal })).objects.map(({ key }) => key)).toEqual(['x/a'])
})
