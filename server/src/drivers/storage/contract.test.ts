import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { broken, bytesOf, content, hanging, type Line, lineTo, sha256Of, textOf } from '../../../../test-kit/storage.ts'
import { type Ground, localGround, s3Ground, serverGround, sftpGround } from '../../../../test-kit/storage-places.ts'
import { storageOpener } from './open.ts'
import type { Storage, StoredObject } from './storage.ts'

const MIB = 1024 * 1024
const kinds = { s3_compatible: s3Ground, sftp: sftpGround, local: localGround, platform_server: serverGround }

const signal = new AbortController().signal
const text = async function* (...words: string[]) {
  for (const word of words) yield Buffer.from(word)
}

describe.each(Object.entries(kinds))('%s', (_, make) => {
  let ground: Ground
  let storage: Storage
  let line: Line | undefined

  beforeEach(async () => {
    ground = await make()
    storage = await storageOpener.open(ground.place, { signal })
  })
  afterEach(async () => {
    storage.close()
    await line?.stop()
    line = undefined
    await ground.remove()
  })

  /** The same destination over a line that can be cut; where there is no line, the destination itself. */
  const throughLine = async () => {
    storage.close()
    if (ground.reached === null) return
    line = await lineTo(ground.reached.host, ground.reached.port)
    storage = await storageOpener.open(ground.through(line.port), { signal })
  }
  const everything = async (prefix = '', limit = 1000) => {
    const objects: StoredObject[] = []
    let cursor: string | null = null
    do {
      const page = await storage.list(prefix, { signal, limit, ...(cursor !== null && { cursor }) })
      expect(page.objects.length).toBeLessThanOrEqual(limit)
      objects.push(...page.objects)
      cursor = page.cursor
    } while (cursor !== null)
    return objects
  }

  test('a stream of unknown length comes back byte for byte, with its sum and its size', {
    timeout: 60_000,
  }, async () => {
    for (const bytes of [0, 1, 70_001, 32 * MIB, 33 * MIB + 7]) {
      const told: number[] = []
      const key = `deep/er/object-${bytes}`
      const result = await storage.put(key, content(bytes), { signal, onProgress: (sum) => told.push(sum) })
      expect(result).toEqual({ bytes, sha256: await sha256Of(content(bytes)) })
      expect(told.at(-1)).toBe(bytes)
      expect(told).toEqual(told.toSorted((a, b) => a - b))
      expect(await sha256Of(await storage.get(key, { signal, sha256: result.sha256 }))).toBe(result.sha256)
      const found = await storage.stat(key, { signal })
      expect(found?.bytes).toBe(bytes)
      expect(Math.abs(Date.now() - (found?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000)
    }
  })

  test('what comes back is checked against the sum that the caller knows', async () => {
    await storage.put('a', text('one'), { signal })
    const wrong = await sha256Of(text('two'))
    await expect(textOf(await storage.get('a', { signal, sha256: wrong }))).rejects.toMatchObject({ code: 'corrupted' })
    const sha256 = await sha256Of(text('one'))
    expect(await textOf(await storage.get('a', { signal, sha256, range: { from: 1 } }))).toBe('ne')
  })

  test('an aborted read ends with the reason', async () => {
    await storage.put('large', content(20 * MIB), { signal })
    const abort = new AbortController()
    const reason = new Error('enough')
    const reading = async () => {
      for await (const _ of await storage.get('large', { signal: abort.signal })) abort.abort(reason)
    }
    await expect(reading()).rejects.toBe(reason)
  })

  test('a part of an object is read without the rest', async () => {
    const whole = await bytesOf(content(200_000))
    await storage.put('a', content(200_000), { signal })
    const part = async (from: number, to?: number) =>
      bytesOf(await storage.get('a', { signal, range: { from, ...(to !== undefined && { to }) } }))
    expect(await part(0, 0)).toEqual(whole.subarray(0, 1))
    expect(await part(70_000, 139_999)).toEqual(whole.subarray(70_000, 140_000))
    expect(await part(199_990)).toEqual(whole.subarray(199_990))
    expect(await part(199_990, 1_000_000)).toEqual(whole.subarray(199_990))
    expect(await part(200_000)).toHaveLength(0)
  })

  test('an object is not seen before it is whole, and the one before it stays until then', async () => {
    const seen: unknown[] = []
    const look = async () => {
      seen.push(await storage.stat('new', { signal }), await textOf(await storage.get('old', { signal })))
      seen.push((await everything()).map(({ key }) => key))
    }
    const slow = async function* (lookAt: boolean) {
      yield* content(33 * MIB)
      if (lookAt) await look()
      yield Buffer.from('end')
    }
    await storage.put('old', text('first'), { signal })
    await Promise.all([storage.put('new', slow(true), { signal }), storage.put('old', slow(false), { signal })])
    expect(seen[0]).toBeNull()
    expect(['first', 'second']).toContain(seen[1] === 'first' ? 'first' : 'second')
    expect(seen[2]).toEqual(['old'])
    expect((await storage.stat('old', { signal }))?.bytes).toBe(33 * MIB + 3)
  })

  test('an aborted write ends with the reason and leaves nothing, however far it came', async () => {
    for (const bytes of [0, 100_000, 40 * MIB]) {
      const abort = new AbortController()
      const reason = new Error('enough')
      const source = async function* () {
        yield* content(bytes)
        setImmediate(() => abort.abort(reason))
        yield* hanging(MIB)
      }
      await expect(storage.put('x/y', source(), { signal: abort.signal })).rejects.toBe(reason)
      expect(await ground.left()).toEqual([])
    }
    const before = AbortSignal.abort(new Error('before'))
    await expect(storage.put('x', text('a'), { signal: before })).rejects.toThrow('before')
  })

  test("a source that fails ends the write with its own error and leaves nothing, also of an object's successor", async () => {
    await storage.put('kept', text('kept'), { signal })
    for (const bytes of [0, 100_000, 40 * MIB]) {
      const error = Object.assign(new Error('the disk of the sender'), { code: 'EACCES' })
      await expect(storage.put('kept', broken(bytes, error), { signal })).rejects.toBe(error)
    }
    expect(await textOf(await storage.get('kept', { signal }))).toBe('kept')
    expect((await ground.left()).filter((name) => !name.endsWith('kept'))).toEqual([])
  })

  test('a connection cut in the middle of a write leaves nothing', { timeout: 60_000 }, async () => {
    await throughLine()
    if (!line) return
    for (const [at, downMs] of [
      [1_000, 1_500],
      [5 * MIB, 1_500],
      [37 * MIB, 2_500],
    ] as const) {
      line.cutAfter(at, downMs)
      const result = await storage.put('cut/off', content(45 * MIB), { signal }).catch((error) => error)
      // S3 repeats what it can; whoever was told "no" finds nothing.
      if (result instanceof Error) expect(result).toMatchObject({ driver: 'storage' })
      else await storage.delete('cut/off', { signal })
      expect(await ground.left()).toEqual([])
    }
  })

  test('a reader that takes nothing holds the sender up', async () => {
    await storage.put('large', content(48 * MIB), { signal })
    await throughLine()
    if (!line) return
    const before = line.received()
    const stream = await storage.get('large', { signal })
    await stream[Symbol.asyncIterator]().next()
    let last = -1
    while (line.received() !== last) {
      last = line.received()
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(line.received() - before).toBeLessThan(24 * MIB)
    stream.destroy()
  })

  test('a reader that takes its time is not cut off', async () => {
    const sum = (await storage.put('large', content(20 * MIB), { signal })).sha256
    const impatient = await storageOpener.open(ground.place, { signal, stallMs: 400 })
    const slowly = async function* () {
      let read = 0
      for await (const chunk of await impatient.get('large', { signal })) {
        if (read < 4 * MIB && read + chunk.length >= 4 * MIB) await new Promise((resolve) => setTimeout(resolve, 1_500))
        read += chunk.length
        yield chunk
      }
    }
    expect(await sha256Of(slowly())).toBe(sum)
    impatient.close()
  })

  test('a listing is in the order of bytes, page by page, and only below the prefix', async () => {
    const keys = ['a', 'a-b', 'a.b', 'ab/c', 'ab/d/e', 'ab0', 'b/a', 'b/é', 'b/￿', 'b/😀', 'c d/ü+%20?#&', 'z']
    await Promise.all(keys.toReversed().map((key) => storage.put(key, text(key), { signal })))
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    for (const limit of [1, 2, 5, 1000]) expect((await everything('', limit)).map(({ key }) => key)).toEqual(sorted)
    for (const prefix of ['a', 'ab', 'ab/', 'ab/d/', 'b/', 'nothing', 'no/thing'])
      expect((await everything(prefix, 2)).map(({ key }) => key)).toEqual(
        sorted.filter((key) => key.startsWith(prefix)),
      )
    expect((await everything()).map(({ bytes }) => bytes)).toEqual(sorted.map((key) => Buffer.byteLength(key)))
    await storage.deleteMany([...keys, 'not/there'], { signal })
    expect(await ground.left()).toEqual([])
  })

  test('a page that is asked for once more is the same again', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await storage.put(key, text(key), { signal })
    const page = (cursor: string | null) => storage.list('', { signal, limit: 1, ...(cursor !== null && { cursor }) })
    const { cursor } = await page(null)
    const keys = async () => (await page(cursor)).objects.map(({ key }) => key)
    expect([await keys(), await keys()]).toEqual([['b'], ['b']])
  })

  test('what is not there is null, cannot be read, and may be deleted', async () => {
    expect(await storage.stat('no/thing', { signal })).toBeNull()
    await expect(storage.get('no/thing', { signal })).rejects.toMatchObject({ code: 'not_found' })
    await storage.delete('no/thing', { signal })
    expect(await everything('no')).toEqual([])
    await storage.put('folder/object', text('x'), { signal })
    expect(await storage.stat('folder', { signal })).toBeNull()
    await storage.delete('folder/object', { signal })
    expect(await ground.left()).toEqual([])
  })

  test('a key may have 900 bytes', async () => {
    const key = [250, 250, 250, 147].map((bytes) => 'k'.repeat(bytes)).join('/')
    await storage.put(key, text('long'), { signal })
    expect(await textOf(await storage.get(key, { signal }))).toBe('long')
  })

  test('keys that would lead elsewhere are refused', async () => {
    const unfinished = `a/.slipway-${'0'.repeat(24)}.part`
    for (const key of [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../b',
      'a\0b',
      'a\nb',
      'x'.repeat(901),
      unfinished,
    ]) {
      await expect(storage.put(key, text('x'), { signal }), JSON.stringify(key)).rejects.toMatchObject({
        code: 'bad_key',
      })
      await expect(storage.delete(key, { signal })).rejects.toMatchObject({ code: 'bad_key' })
    }
    expect(await ground.left()).toEqual([])
  })

  test('writers of one key do not mix: one of them wins as a whole', async () => {
    const seeds = ['a', 'b', 'c', 'd']
    const results = await Promise.all(seeds.map((seed) => storage.put('same', content(3 * MIB, seed), { signal })))
    const kept = await sha256Of(await storage.get('same', { signal }))
    expect(results.map(({ sha256 }) => sha256)).toContain(kept)
    expect(await ground.left()).toHaveLength(1)
  })

  test('what a killed process left half-written is swept, and what is under way is not', async () => {
    await ground.plantLeftover()
    expect(await everything()).toEqual([])
    expect(await ground.left()).not.toEqual([])
    expect(await storage.sweep({ signal, olderThan: new Date('2020-01-01') })).toBe(0)
    expect(await storage.sweep({ signal, olderThan: new Date(Date.now() + 5_000) })).toBe(1)
    expect(await ground.left()).toEqual([])
  })
})
