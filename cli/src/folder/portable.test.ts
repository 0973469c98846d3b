import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nameFault } from '@slipway/contract/folder-rules'
import { expect, test } from 'vitest'
import { newHome } from '../../test/run-here.ts'
import { checksum } from './checksum.ts'
import { sentName, sentTarget } from './portable.ts'
import { walk } from './walk.ts'

const WHOLE = 'caf\u00e9'
const IN_PIECES = 'cafe\u0301'

test.each([
  ['darwin', IN_PIECES, WHOLE],
  ['darwin', WHOLE, WHOLE],
  ['linux', IN_PIECES, IN_PIECES],
  ['win32', 'Ünïcode.txt', 'Ünïcode.txt'],
] as const)('on %s a name %j goes as %j', (platform, name, sent) => {
  expect(sentName(name, platform)).toBe(sent)
})

test.each([
  ['win32', '..\\packages\\a', '../packages/a'],
  ['win32', 'a/b', 'a/b'],
  ['linux', 'odd\\name', 'odd\\name'],
  ['darwin', '../a', '../a'],
] as const)('on %s a link to %j goes as %j', (platform, target, sent) => {
  expect(sentTarget(target, platform)).toBe(sent)
})

test.each([
  ['a.txt', null],
  ['with space, [brackets] and #', null],
  ['\u200d👩‍🚀', null],
  ['a\nb', 'its name has a control character in it'],
  ['a\x7f', 'its name has a control character in it'],
  ['a\\b', 'its name has a backslash in it'],
  ['a\ufffd', 'its name is not UTF-8'],
  ['a\ud800', 'its name is not UTF-8'],
])('the name %j: %s', (name, because) => {
  expect(nameFault(name)).toBe(because)
})

test('where there are no modes, what says what it is run by is a program, also after it was read', async () => {
  const root = await newHome()
  await writeFile(join(root, 'start.sh'), '#!/bin/sh\r\n', { mode: 0o644 })
  await writeFile(join(root, 'plain.txt'), 'text\r\n', { mode: 0o755 })
  await writeFile(join(root, 'empty'), '')
  const { contents } = await walk(root, {}, 'win32')
  const modes = () => contents.map(({ path, mode }) => [path, mode.toString(8)])
  const expected = [
    ['empty', '644'],
    ['plain.txt', '644'],
    ['start.sh', '755'],
  ]
  expect(modes()).toEqual(expected)
  await checksum(root, contents, null, new AbortController().signal)
  expect(modes()).toEqual(expected)
  // Line ends are somebody's own: what is sent is what lies there, byte by byte.
  expect(contents.map(({ size }) => size)).toEqual([0, 6, 11])
})

test('rule files with line ends of Windows and a byte order mark hold as any others', async () => {
  const root = await newHome()
  await writeFile(join(root, '.gitignore'), '\ufeff*.log\r\n/dist/\r\n\r\n# why\r\n!keep.log\r\n')
  await mkdir(join(root, 'dist'))
  for (const path of ['a.log', 'keep.log', 'dist/a.js', 'b.txt']) await writeFile(join(root, path), '')
  const { contents } = await walk(root)
  expect(contents.map(({ path }) => path)).toEqual(['.gitignore', 'b.txt', 'keep.log'])
})

/** Names `41-A`: one for every byte but those that end or separate names, told apart also where case does not count. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x00 && byte !== 0x2f)

test('names of every byte are sent or named with a reason, and none is lost', async () => {
  const root = await newHome()
  const taken: number[] = []
  for (const byte of bytes) {
    const path = Buffer.concat([Buffer.from(`${root}/${byte.toString(16)}-`), Buffer.from([byte])])
    // Some disks have names in UTF-8 alone.
    const isTaken = await writeFile(path, '').then(
      () => true,
      () => false,
    )
    if (isTaken) taken.push(byte)
  }
  expect(taken.length).toBeGreaterThan(120)
  const { contents, unsendable } = await walk(root)
  expect(contents.length + unsendable.length).toBe(taken.length)
  const because = (part: string) => unsendable.filter((one) => one.because.includes(part)).length
  expect(because('control character')).toBe(taken.filter((byte) => byte < 0x20 || byte === 0x7f).length)
  expect(because('backslash')).toBe(1)
  expect(because('UTF-8')).toBe(taken.filter((byte) => byte > 0x7f).length)
})

test('a link that was made on Windows leads to the same place elsewhere', async () => {
  const root = await newHome()
  await symlink('..\\shared\\index.js', join(root, 'link'))
  expect((await walk(root, {}, 'win32')).links).toEqual([{ path: 'link', link: '../shared/index.js' }])
})
