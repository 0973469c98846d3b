import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { BlobStore } from './blob-store.ts'
import { diskBlobs } from './disk-blobs.ts'

const ORG = 'org_01k2v9r6c8h3n5q7s9t0w2x4y6'
const shaOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function* chunks(...parts: (string | Error)[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

async function textAt(store: BlobStore, location: string): Promise<string | null> {
  const content = await store.read(location)
  return content && Buffer.concat(await content.toArray()).toString()
}

async function stored(store: BlobStore): Promise<string[]> {
  const all: string[] = []
  for await (const batch of store.listOlderThan(-60_000)) all.push(...batch)
  return all
}

const directory = await mkdtemp(join(tmpdir(), 'slipway-blobs-'))
afterAll(() => rm(directory, { recursive: true }))

/** What every blob store must do; another kind of store runs the same. */
describe('a blob store', () => {
  let count = 0
  const open = () => diskBlobs(join(directory, String(count++)))

  test('gives back what was written, under its hash', async () => {
    const store = open()
    const blob = await store.write(ORG, chunks('hel', 'lo'), { maxBytes: 100, size: 5, sha256: shaOf('hello') })
    expect(blob).toMatchObject({ size: 5, sha256: shaOf('hello') })
    expect(await textAt(store, blob.location)).toBe('hello')
  })

  test('finds out the hash by itself when it is not announced', async () => {
    const store = open()
    expect(await store.write(ORG, chunks(), { maxBytes: 0 })).toMatchObject({ size: 0, sha256: shaOf('') })
  })

  test.each([
    ['other bytes of the announced size', ['hullo']],
    ['fewer bytes than announced', ['hell']],
    ['more bytes than announced', ['hello', '!']],
  ])('refuses %s and keeps nothing', async (_, parts) => {
    const store = open()
    const written = store.write(ORG, chunks(...parts), { maxBytes: 10, size: 5, sha256: shaOf('hello') })
    await expect(written).rejects.toMatchObject({ code: 'hash_mismatch' })
    expect(await stored(store)).toEqual([])
    expect(await store.removeUnfinished(-60_000)).toBe(0)
  })

  test('stops at the limit without asking for the rest', async () => {
    const store = open()
    let asked = 0
    async function* endless() {
      for (;;) {
        asked += 1
        yield Buffer.alloc(1000)
      }
    }
    await expect(store.write(ORG, endless(), { maxBytes: 5000 })).rejects.toMatchObject({ code: 'too_large' })
    expect(asked).toBe(6)
    expect(await stored(store)).toEqual([])
  })

  test('keeps nothing of a stream that fails in the middle', async () => {
    const store = open()
    const written = store.write(ORG, chunks('half', new Error('cut')), { maxBytes: 100 })
    await expect(written).rejects.toThrow('could not be stored')
    expect(await stored(store)).toEqual([])
    expect(await store.removeUnfinished(-60_000)).toBe(0)
  })

  test('a removal does not touch the same content that was stored again', async () => {
    const store = open()
    const first = await store.write(ORG, chunks('same'), { maxBytes: 100 })
    const second = await store.write(ORG, chunks('same'), { maxBytes: 100 })
    await store.remove(first.location)
    await store.remove(first.location)
    expect(await store.read(first.location)).toBeNull()
    expect(await textAt(store, second.location)).toBe('same')
    expect(await stored(store)).toEqual([second.location])
  })

  test('lists only what is old enough', async () => {
    const store = open()
    await store.write(ORG, chunks('new'), { maxBytes: 100 })
    for await (const batch of store.listOlderThan(60_000)) expect(batch).toEqual([])
  })

  test.each(['../../etc/passwd', '/etc/passwd', `${ORG}/aa/../../x`, `.unfinished/x`])(
    'does not leave its place for %s',
    async (location) => {
      await expect(open().read(location)).rejects.toThrow('not the location')
      await expect(open().remove(location)).rejects.toThrow('not the location')
      await expect(open().write(location, chunks('x'), { maxBytes: 1 })).rejects.toThrow('not the organization')
    },
  )
})

describe('on disk', () => {
  test('only its own user can read what is stored', async () => {
    const root = join(directory, 'modes')
    const { location } = await diskBlobs(root).write(ORG, chunks('secret'), { maxBytes: 100 })
    const mode = async (path: string) => (await stat(join(root, path))).mode & 0o777
    expect(await mode('')).toBe(0o700)
    expect(await mode(location)).toBe(0o600)
    for (const part of ['.unfinished', ORG, location.slice(0, ORG.length + 3)]) expect(await mode(part)).toBe(0o700)
  })

  test('what a dead writer left half written goes with age', async () => {
    const root = join(directory, 'dead')
    const store = diskBlobs(root)
    expect(await store.removeUnfinished(0)).toBe(0)
    await mkdir(join(root, '.unfinished'), { recursive: true })
    for (const name of ['old', 'new']) await writeFile(join(root, '.unfinished', name), 'half')
    await utimes(join(root, '.unfinished', 'old'), 1, 1)
    expect(await store.removeUnfinished(60_000)).toBe(1)
    expect(await readdir(join(root, '.unfinished'))).toEqual(['new'])
  })
})
