import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Archive } from './archive.ts'
import { diskArchive } from './disk-archive.ts'

const directory = await mkdtemp(join(tmpdir(), 'slipway-archive-'))
afterAll(() => rm(directory, { recursive: true }))

async function keysIn(archive: Archive): Promise<string[]> {
  const all: string[] = []
  for await (const batch of archive.listOlderThan(-60_000)) all.push(...batch)
  return all.sort()
}

/** What every archive must do; another kind runs the same. */
describe('an archive', () => {
  let count = 0
  const open = () => diskArchive(join(directory, 'kinds', String(count++)))

  test('gives back what was put', async () => {
    const archive = open()
    const bytes = Buffer.from([0, 1, 2, 255])
    await archive.put('org_1/dep_1/1-2.aa', bytes)
    await archive.put('org_1/dep_1/3-4.bb', Buffer.alloc(0))
    expect(await archive.get('org_1/dep_1/1-2.aa')).toEqual(bytes)
    expect(await archive.get('org_1/dep_1/3-4.bb')).toEqual(Buffer.alloc(0))
    expect(await keysIn(archive)).toEqual(['org_1/dep_1/1-2.aa', 'org_1/dep_1/3-4.bb'])
  })

  test('what is not there is null, whatever part of its key is missing', async () => {
    const archive = open()
    expect(await archive.get('org_1/dep_1/1-2.aa')).toBeNull()
    await archive.put('a/b', Buffer.from('x'))
    expect(await archive.get('a/c')).toBeNull()
    expect(await archive.get('a/b/c')).toBeNull()
  })

  test('a removal may be repeated and touches nothing else', async () => {
    const archive = open()
    await archive.put('a/b/1', Buffer.from('x'))
    await archive.put('a/b/2', Buffer.from('y'))
    await archive.remove('a/b/1')
    await archive.remove('a/b/1')
    await archive.remove('never/was')
    expect(await archive.get('a/b/1')).toBeNull()
    expect(await keysIn(archive)).toEqual(['a/b/2'])
  })

  test('puts and removals beside each other lose nothing', async () => {
    const archive = open()
    const put = (n: number) => archive.put(`a/b/${n}`, Buffer.from(String(n)))
    await put(0)
    await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [put(n), archive.remove('a/b/0'), archive.remove('a/b/x')]),
    )
    expect(await keysIn(archive)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `a/b/${n}`))
  })

  test('lists only what is old enough, and an empty one lists nothing', async () => {
    const archive = open()
    expect(await keysIn(archive)).toEqual([])
    await archive.put('a', Buffer.from('x'))
    for await (const batch of archive.listOlderThan(60_000)) expect(batch).toEqual([])
  })

  test.each(['', '/etc/passwd', '../x', 'a/../x', 'a//b', 'A', 'a/.hidden', 'a\nb'])(
    'does not leave its place for %j',
    async (key) => {
      const archive = open()
      await expect(archive.put(key, Buffer.from('x'))).rejects.toThrow('not a key')
      await expect((async () => archive.get(key))()).rejects.toThrow('not a key')
      await expect(archive.remove(key)).rejects.toThrow('not a key')
    },
  )
})

describe('on disk', () => {
  test('only its own user can read what is stored', async () => {
    const root = join(directory, 'modes')
    await diskArchive(root).put('a/b', Buffer.from('secret'))
    expect((await stat(join(root, 'a/b'))).mode & 0o777).toBe(0o600)
    for (const path of ['', 'a']) expect((await stat(join(root, path))).mode & 0o777).toBe(0o700)
  })

  test('what a dead writer left half written is no key and goes with age', async () => {
    const root = join(directory, 'dead')
    await mkdir(join(root, 'a'), { recursive: true })
    for (const name of ['.unfinished-old', '.unfinished-new']) await writeFile(join(root, 'a', name), 'half')
    await utimes(join(root, 'a', '.unfinished-old'), 1, 1)
    for await (const batch of diskArchive(root).listOlderThan(60_000)) expect(batch).toEqual([])
    expect(await readdir(join(root, 'a'))).toEqual(['.unfinished-new'])
  })

  test('a failure says what it was, and is none of the database', async () => {
    const root = join(directory, 'blocked')
    await writeFile(root, 'a file where the folder should be')
    await expect(diskArchive(root).put('a/b', Buffer.from('x'))).rejects.toThrow('a/b could not be stored')
  })
})
