import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { content, textOf } from '../../../../test-kit/storage.ts'
import { localGround } from '../../../../test-kit/storage-places.ts'
import { fileStorage } from './files/file-storage.ts'
import { openInside } from './local/folders.ts'
import { localTree } from './local/local-tree.ts'
import { storageOpener } from './open.ts'
import type { LocalPlace, Storage, StorageFailure } from './storage.ts'

const signal = new AbortController().signal
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function setUp() {
  const ground = await localGround()
  const outside = mkdtempSync(join(tmpdir(), 'slipway-outside-'))
  cleanups.push(ground.remove, () => rmSync(outside, { recursive: true }))
  return { ...ground, outside }
}

async function open(place: LocalPlace): Promise<Storage> {
  const storage = await storageOpener.open(place, { signal })
  cleanups.push(() => storage.close())
  return storage
}

const refusal = (place: LocalPlace): Promise<StorageFailure> =>
  open(place).then(
    () => expect.fail('it opened'),
    (error) => error,
  )

test('a path outside of the root is refused, by dots, by links and by another name of the root', async () => {
  const { place, root, outside } = await setUp()
  symlinkSync(outside, join(root, 'out'))
  symlinkSync(join(outside, 'later'), join(root, 'dangling'))
  writeFileSync(join(root, 'file'), '')
  const codeOf = async (path: string) => (await refusal({ ...place, path })).code
  expect(await codeOf(outside)).toBe('outside_root')
  expect(await codeOf(`${root}/../elsewhere`)).toBe('outside_root')
  expect(await codeOf(`${root}-neighbour`)).toBe('outside_root')
  expect(await codeOf(join(root, 'out'))).toBe('outside_root')
  expect(await codeOf(join(root, 'out', 'deeper'))).toBe('outside_root')
  expect(await codeOf(join(root, 'dangling'))).toBe('outside_root')
  expect(await codeOf('relative')).toBe('bad_place')
  expect(await codeOf(join(root, 'file'))).toBe('not_a_folder')
  expect(await codeOf(join(root, 'file', 'below'))).toBe('not_a_folder')
  expect((await refusal({ ...place, root: join(root, 'gone') })).code).toBe('root_missing')
  expect(readdirSync(outside)).toEqual([])
})

test('links inside the root, and a root that is a link itself, are fine', async () => {
  const { place, root, outside } = await setUp()
  symlinkSync(join(root, 'organization'), join(root, 'same'))
  symlinkSync(root, join(outside, 'root'))
  for (const [base, path] of [
    [root, join(root, 'same', 'new')],
    [join(outside, 'root'), join(root, 'organization', 'new')],
    [root, join(outside, 'root', 'organization', 'new')],
  ] as const) {
    const storage = await open({ ...place, root: base, path })
    await storage.put('a', content(10), { signal })
    expect(readFileSync(join(root, 'organization/new/a'))).toHaveLength(10)
    await storage.delete('a', { signal })
  }
})

test('links below the destination are neither followed, listed nor replaced through', async () => {
  const { place, outside } = await setUp()
  writeFileSync(join(outside, 'secret'), 'secret')
  const storage = await open(place)
  symlinkSync(outside, join(place.path, 'folder'))
  symlinkSync(join(outside, 'secret'), join(place.path, 'file'))
  await expect(storage.put('folder/new', content(10), { signal })).rejects.toMatchObject({ code: 'outside_root' })
  await expect(storage.get('folder/secret', { signal })).rejects.toMatchObject({ code: 'outside_root' })
  await expect(storage.get('file', { signal })).rejects.toMatchObject({ code: 'outside_root' })
  await expect(storage.delete('folder/secret', { signal })).rejects.toMatchObject({ code: 'outside_root' })
  expect(await storage.stat('file', { signal })).toBeNull()
  expect((await storage.list('', { signal })).objects).toEqual([])
  await storage.put('file', content(10), { signal })
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  expect(readdirSync(outside)).toEqual(['secret'])
})

test('whoever swaps a folder for a link while files are written gets none of them', async () => {
  const { place, outside } = await setUp()
  const storage = await open(place)
  const [folder, aside] = [join(place.path, 'f'), join(place.path, 'aside')]
  mkdirSync(folder)
  let swaps = 0
  let over = false
  const swapping = (async () => {
    while (!over) {
      try {
        renameSync(folder, aside)
        symlinkSync(outside, folder)
        await new Promise(setImmediate)
        rmSync(folder)
        renameSync(aside, folder)
      } catch {
        if (!existsSync(folder)) mkdirSync(folder)
        rmSync(aside, { recursive: true, force: true })
      }
      swaps += 1
      await new Promise(setImmediate)
    }
  })()
  for (let round = 0; round < 400; round += 1) {
    await storage.put(`f/${round % 7}`, content(2_000), { signal }).catch(() => {})
    await storage.delete(`f/${round % 5}`, { signal }).catch(() => {})
  }
  over = true
  await swapping
  expect(swaps).toBeGreaterThan(50)
  expect(readdirSync(outside)).toEqual([])
})

test('a prefix that leads elsewhere is refused', async () => {
  const { place } = await setUp()
  for (const prefix of ['..', '../elsewhere', 'a/../../b', 'a\0b'])
    expect((await refusal({ ...place, prefix })).code, JSON.stringify(prefix)).toBe('bad_place')
})

test('what did not arrive whole is told, and nothing of it is kept', async () => {
  const { root } = await setUp()
  const tree = localTree(await openInside(root, root, []))
  const storage = fileStorage({
    ...tree,
    async stat(path, limits) {
      const found = await tree.stat(path, limits)
      return found && { ...found, bytes: found.bytes - 1 }
    },
  })
  cleanups.push(() => storage.close())
  const before = readdirSync(root)
  await expect(storage.put('short', content(100), { signal })).rejects.toMatchObject({ code: 'corrupted' })
  expect(readdirSync(root)).toEqual(before)
})

test('a folder and an object cannot have one name, and the error says so', async () => {
  const { place } = await setUp()
  const storage = await open(place)
  await storage.put('a', content(3), { signal })
  await expect(storage.put('a/b', content(3), { signal })).rejects.toMatchObject({ code: 'not_a_folder' })
  await storage.put('folder/b', content(3), { signal })
  await expect(storage.put('folder', content(3), { signal })).rejects.toMatchObject({ code: 'bad_key' })
  expect((await storage.list('', { signal })).objects.map(({ key }) => key)).toEqual(['a', 'folder/b'])
})

test('the folder on the machine itself serves a server that is reached by its own socket', async () => {
  const { root } = await setUp()
  const folder = join(root, 'managed', 'backups')
  const place = { kind: 'platform_server', target: { kind: 'local' }, folder, prefix: 'org' } as const
  const storage = await storageOpener.open(place, { signal })
  cleanups.push(() => storage.close())
  await storage.put('a/b', content(3), { signal })
  expect(readdirSync(join(folder, 'org', 'a'))).toEqual(['b'])
  expect(await textOf(await storage.get('a/b', { signal }))).toHaveLength(3)
})
