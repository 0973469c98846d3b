import { createHash } from 'node:crypto'
import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome } from '../../test/run-here.ts'
import { checksum } from './checksum.ts'
import { readCache, writeCache } from './checksum-cache.ts'
import { walk } from './walk.ts'

const signal = new AbortController().signal
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function summed(root: string, home: string, now = Date.now) {
  const at = now()
  const env = { HOME: home }
  const { contents } = await walk(root)
  const done = await checksum(root, contents, await readCache(env, root), signal)
  await writeCache(env, root, at, done.contents)
  return { read: done.read, hashes: Object.fromEntries(done.contents.map(({ path, sha256 }) => [path, sha256])) }
}

/** As if some time had gone by since the files were written. */
const later = () => Date.now() + 10_000

test('a file is read again when it changed, and only then', async () => {
  const [root, home] = [await newHome(), await newHome()]
  await writeFile(join(root, 'a'), 'one')
  await writeFile(join(root, 'b'), 'four')
  expect(await summed(root, home, later)).toEqual({ read: 7, hashes: { a: hashOf('one'), b: hashOf('four') } })
  expect((await summed(root, home, later)).read).toBe(0)
  await writeFile(join(root, 'b'), 'five')
  expect(await summed(root, home, later)).toEqual({ read: 4, hashes: { a: hashOf('one'), b: hashOf('five') } })
})

test('a file that was written in the very moment of the last look is not trusted', async () => {
  const [root, home] = [await newHome(), await newHome()]
  await writeFile(join(root, 'a'), 'one')
  await summed(root, home)
  expect((await summed(root, home)).read).toBe(3)
})

test('a content that pretends to be older is read all the same', async () => {
  const [root, home] = [await newHome(), await newHome()]
  const long = new Date('2020-01-01')
  await writeFile(join(root, 'a'), 'one')
  await utimes(join(root, 'a'), long, long)
  await summed(root, home, later)
  await writeFile(join(root, 'a'), 'two')
  await utimes(join(root, 'a'), long, long)
  expect((await summed(root, home, later)).hashes).toEqual({ a: hashOf('two') })
})

test('a broken cache costs time and nothing else, and a file that is gone is not sent', async () => {
  const root = await newHome()
  await writeFile(join(root, 'a'), 'one')
  await writeFile(join(root, 'gone'), 'two')
  const { contents } = await walk(root)
  await rm(join(root, 'gone'))
  const env = { XDG_CACHE_HOME: join(root, 'a') }
  const done = await checksum(root, contents, await readCache(env, root), signal)
  await writeCache(env, root, Date.now(), done.contents)
  expect(done.contents.map(({ path }) => path)).toEqual(['a'])
})
