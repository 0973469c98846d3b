import { mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredFile } from '../../db/tables.ts'
import { Refusal } from '../../errors.ts'
import { checkFolder } from './folder.ts'

const HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const file = (p: string): StoredFile => ({ p, h: HASH, s: 0, m: 0o644 })
const link = (p: string, l: string): StoredFile => ({ p, l })

function refusalOf(...files: StoredFile[]): string | undefined {
  try {
    checkFolder(files)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `${error.code}: ${error.message}`
  }
}

test.each([
  ['/etc/passwd', 'is absolute'],
  ['..', 'contains ".."'],
  ['a/../b', 'contains ".."'],
  ['../a', 'contains ".."'],
  ['a//b', 'contains an empty name'],
  ['a/', 'contains an empty name'],
  ['./a', 'contains "."'],
  ['a\0b', 'contains a control character'],
  ['a\nb', 'contains a control character'],
  ['a\\b', 'contains a backslash'],
  ['\ud800', 'is not valid UTF-8'],
  ['x'.repeat(256), 'has a name longer than 255 bytes'],
  ['ü'.repeat(128), 'has a name longer than 255 bytes'],
  ['xxxxxxxxx/'.repeat(103).slice(0, -1), 'is longer than 1024 bytes'],
  ['x/'.repeat(101).slice(0, -1), 'is nested deeper than 100'],
])('the path %j is refused by name', (path, fault) => {
  const message = refusalOf(file(path))
  expect(message).toMatch(/^invalid_path: The path "/)
  expect(message).toContain(fault)
})

test.each([
  [['a', 'a'], '"a" appears twice'],
  [['a', 'b', 'a/b'], '"a" is a file or a link, but other entries lie below it'],
  [['a', 'a-b', 'a.b', 'a/b'], '"a" is a file or a link'],
  [['x/y/z', 'x/y'], '"x/y" is a file or a link'],
])('%j cannot all be written and is refused', (paths, fault) => {
  expect(refusalOf(...paths.map(file))).toContain(`invalid_path: The path ${fault}`)
})

test('ordinary folders are taken', () => {
  const paths = ['a', 'a-b', 'ab/c', 'ab/.env', 'ab/...', '.github/x', 'dir/ü ñ', 'src/[id].ts', '-rf', '~', 'C:']
  expect(refusalOf(...paths.map(file))).toBeUndefined()
  expect(refusalOf(file('a/b'), link('a/up', '..'), link('l', 'a/b'), link('m', './a/../l'))).toBeUndefined()
  expect(refusalOf(link('dangling', 'not/there'), link('a/b/c', '../../x'))).toBeUndefined()
})

test.each([
  ['an absolute target', [link('l', '/etc/passwd')], 'is absolute'],
  ['a target above the folder', [link('l', '../x')], 'leaves the folder'],
  ['a target that leaves and comes back', [link('a/l', '../../folder/x')], 'leaves the folder'],
  ['a target that leaves through a name that does not exist', [link('l', 'a/../../x')], 'leaves the folder'],
  ['a target that leaves through another link', [link('d/e/up', '../..'), link('l', 'd/e/up/../x')], 'leaves the'],
  [
    'a target that leaves through a link behind another',
    [link('a', 'b/../../x'), link('b', 'd/up'), link('d/up', '..')],
    'leaves the folder',
  ],
  ['a chain that leaves at its end', [link('a', 'b'), link('b', 'c'), link('c', '../x')], 'leaves the folder'],
  ['an entry below a link', [link('a', 'b'), file('a/c')], 'is a file or a link, but other entries lie below it'],
  ['a link to itself', [link('a', 'a')], 'a circle'],
  ['two links to each other', [link('a', 'b'), link('b', 'a')], 'a circle'],
  ['a control character', [link('a', 'b\0c')], 'contains a control character'],
])('%s is refused by name', (_, files, fault) => {
  expect(refusalOf(...files)).toMatch(/^invalid_(link|path): The (link|path) "/)
  expect(refusalOf(...files)).toContain(fault)
})

test('a chain of a thousand links, or links that double with each step, end quickly', () => {
  const chain = Array.from({ length: 1000 }, (_, i) => link(`l${i}`, `l${i + 1}`))
  expect(refusalOf(...chain)).toContain('more than 40 links')
  const doubling = Array.from({ length: 30 }, (_, i) => link(`d${i}`, `d${i + 1}/../d${i + 1}`))
  expect(refusalOf(...doubling)).toContain('more than 40 links')
})

const name = fc.constantFrom('a', 'b', 'c', '.', '..', '', '/', '\\', '\0', 'ä')
const anyPath = fc.oneof(
  fc.array(name, { maxLength: 6 }).map((names) => names.join('/')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)

test('a path that is accepted never resolves outside the root', () => {
  fc.assert(
    fc.property(anyPath, (path) => {
      fc.pre(refusalOf(file(path)) === undefined)
      const resolved = posix.resolve('/root', path)
      expect(resolved.startsWith('/root/')).toBe(true)
      expect(posix.relative('/root', resolved)).toBe(path)
    }),
    { numRuns: 2000 },
  )
})

const inner = fc.constantFrom('a', 'b', 'c', '..', '.')
const entry = fc.record({
  path: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
  target: fc.array(inner, { minLength: 1, maxLength: 5 }).map((names) => names.join('/')),
})

test('in a folder that is accepted, no link leads outside when the kernel follows it', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'slipway-links-')))
  let accepted = 0
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), async (entries) => {
      const files = entries.map(({ path, target }) => link(path, target))
      if (refusalOf(...files) !== undefined) return
      accepted += 1
      const root = join(base, String(run++), 'deep', 'root')
      await mkdir(root, { recursive: true })
      for (const { path, target } of entries) {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await symlink(target, join(root, path))
      }
      await writeFile(join(root, 'z'), '')
      for (const { path } of entries) {
        const real = await realpath(join(root, path)).catch(() => root)
        expect(`${real}/`.startsWith(`${root}/`), `${path} -> ${await readlink(join(root, path))}`).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
  await rm(base, { recursive: true })
  expect(accepted).toBeGreaterThan(50)
})
