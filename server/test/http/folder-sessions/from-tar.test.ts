import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { openTree } from '../../../src/core/uploads/tree.ts'
import { announce, blobRows, file, onDisk, sendEntries, sendTar, shaOf, tarOf, upload } from './folder.ts'

const LIMITS = { files: 20, fileBytes: 1_000_000, totalBytes: 2_000_000 }
const world = await startWorld({ upload: LIMITS })
const { owner, id: orgId } = await world.org()
const { api } = owner

const readTree = async (id: string) => {
  const tree = await openTree(world.platform, orgId, id)
  const read = async (entry: { path: string; sha256: string }) =>
    Buffer.concat(await (await tree.read(entry)).toArray()).toString()
  return Promise.all(
    tree.entries.map(async (entry) =>
      entry.kind === 'link' ? [entry.path, '->', entry.target] : [entry.path, entry.mode, await read(entry)],
    ),
  )
}

describe('201', () => {
  test('an archive with long names, links, modes and directories becomes a sealed folder', async () => {
    const long = `${'deep/'.repeat(40)}${'n'.repeat(200)}.txt`
    const made = await sendEntries(api, [
      { name: './', type: 'directory' },
      { name: './bin/', type: 'directory', mode: 0o755 },
      { name: './bin/run', content: 'run', mode: 0o4755 },
      { name: long, content: 'long', mode: 0o600 },
      { name: 'ünïcode', content: '' },
      { name: 'link', type: 'symlink', linkname: 'bin/run' },
      { name: 'longlink', type: 'symlink', linkname: long },
    ])
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ state: 'sealed', files: 5, bytes: 7, missing: [], limits: LIMITS })
    expect(await readTree(made.body.uploadSessionId)).toEqual([
      ['bin/run', 0o755, 'run'],
      [long, 0o600, 'long'],
      ['link', '->', 'bin/run'],
      ['longlink', '->', long],
      ['ünïcode', 0o644, ''],
    ])
  })

  test.each(['gnu', 'pax', 'ustar'])('what tar -cz writes in the %s format is read', async (format) => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-tar-'))
    const name = format === 'ustar' ? 'short' : 'x'.repeat(180)
    await mkdir(join(folder, 'sub'))
    await writeFile(join(folder, 'sub', name), `${format} content`)
    await writeFile(join(folder, 'big'), 'y'.repeat(300_000))
    await symlink('sub', join(folder, 'to'))
    const args = ['-C', folder, `--format=${format}`, '-cz', '.']
    const { stdout } = await promisify(execFile)('tar', args, { encoding: 'buffer', maxBuffer: 10_000_000 })
    const made = await sendTar(api, stdout)
    await rm(folder, { recursive: true })
    expect(made.status).toBe(201)
    const tree = await readTree(made.body.uploadSessionId)
    expect(tree.map(([path, mode]) => [path, mode])).toEqual([
      ['big', 0o644],
      [`sub/${name}`, 0o644],
      ['to', '->'],
    ])
    expect(tree[1]?.[2]).toBe(`${format} content`)
  })

  test('contents that are here already, or twice in the archive, are kept once', async () => {
    await upload(api, { a: 'known' })
    const before = await onDisk(world)
    const entries = ['a', 'b', 'c'].map((name) => ({ name, content: 'fresh' }))
    const made = await sendEntries(api, [...entries, { name: 'd', content: 'known' }])
    expect(made.status).toBe(201)
    expect((await onDisk(world)).length).toBe(before.length + 1)
    expect((await readTree(made.body.uploadSessionId)).map((entry) => entry[2])).toEqual([
      'fresh',
      'fresh',
      'fresh',
      'known',
    ])
    expect((await announce(api, [file('x', 'fresh')])).body.missing).toEqual([])
  })
})

describe('400', () => {
  test.each([
    ['an absolute path', { name: '/etc/passwd', content: 'x' }, 'invalid_path', '"/etc/passwd" is absolute'],
    ['a path with ..', { name: '../x', content: 'x' }, 'invalid_path', '"../x" contains ".."'],
    ['a directory with ..', { name: 'a/../../b/', type: 'directory' }, 'invalid_path', 'contains ".."'],
    ['a path that appears twice', { name: './ok', content: 'x' }, 'invalid_path', '"ok" appears twice'],
    ['a link out of the folder', { name: 'l', type: 'symlink', linkname: '../x' }, 'invalid_link', 'leaves the folder'],
    ['an absolute link', { name: 'l', type: 'symlink', linkname: '/x' }, 'invalid_link', 'is absolute'],
    ['a hard link', { name: 'h', type: 'link', linkname: 'ok' }, 'invalid_link', '"h" is a hard link'],
    ['a character device', { name: 'c', type: 'character-device' }, 'invalid_link', '"c" is a device'],
    ['a block device', { name: 'd', type: 'block-device' }, 'invalid_link', '"d" is a device'],
    ['a named pipe', { name: 'p', type: 'fifo' }, 'invalid_link', '"p" is a named pipe'],
    ['a sparse file', { name: 's', pax: { 'GNU.sparse.major': '1' } }, 'invalid_link', '"s" is a sparse file'],
  ] as const)('%s is refused by name and leaves nothing', async (_, entry, code, message) => {
    const before = await onDisk(world)
    const refused = await sendEntries(api, [{ name: 'ok', content: 'this one is fine' }, entry])
    expect([refused.status, refused.body.code]).toEqual([400, code])
    expect(refused.body.error).toContain(message)
    expect(await onDisk(world)).toEqual(before)
  })

  test('an entry below a link is refused: it would be written where the link leads', async () => {
    const refused = await sendEntries(api, [
      { name: 'a', type: 'symlink', linkname: 'b' },
      { name: 'a/x', content: 'x' },
    ])
    expect(refused.body.code).toBe('invalid_path')
  })

  test.each([
    ['is not gzip', async () => Buffer.from('plain text, not gzip')],
    ['is empty', async () => Buffer.alloc(0)],
    ['contains no files', async () => gzipSync(await tarOf([{ name: 'only/', type: 'directory' }]))],
    ['is gzip but not tar', async () => gzipSync(Buffer.from('not a tar file at all'.repeat(100)))],
    ['ends in the middle of the gzip stream', async () => (await archive()).subarray(0, -2000)],
    ['ends in the middle of a file', async () => gzipSync((await tarOf([BIG])).subarray(0, 100_000))],
    ['is damaged', async () => (await archive()).fill(0xaa, 3000, 3500)],
  ])('an archive that %s is refused and leaves nothing', async (_, make) => {
    const before = await onDisk(world)
    const refused = await sendTar(api, await make())
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_archive'])
    expect(await onDisk(world)).toEqual(before)
    expect(await world.platform.blobs.removeUnfinished(-60_000)).toBe(0)
  })
})

const BIG = { name: 'big', content: Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i) % 251)) }
const archive = async () => gzipSync(await tarOf([{ name: 'a', content: 'a' }, BIG]), { level: 0 })

describe('413', () => {
  test.each([
    [
      'too many files',
      Array.from({ length: 21 }, (_, i) => ({ name: `f${i}`, content: `${i}` })),
      'more than 20 files',
    ],
    [
      'too many directories',
      Array.from({ length: 21 }, (_, i) => ({ name: `d${i}/`, type: 'directory' as const })),
      'more than 20',
    ],
    ['a too large file', [{ name: 'big', content: Buffer.alloc(1_000_001) }], '"big" is larger than 1000000 bytes'],
    [
      'a too large folder',
      [1, 2, 3].map((n) => ({ name: `f${n}`, content: Buffer.alloc(900_000, n) })),
      'larger than 2000000 bytes',
    ],
  ])('%s is refused with the limit named and leaves nothing', async (_, entries, message) => {
    const before = await onDisk(world)
    const refused = await sendEntries(api, entries)
    expect([refused.status, refused.body.code]).toEqual([413, 'too_large'])
    expect(refused.body.error).toContain(message)
    expect(await onDisk(world)).toEqual(before)
  })

  test('a gzip bomb in one file is stopped by what its header says, before its content', async () => {
    const header = (await tarOf([{ name: 'bomb', content: 'x' }])).subarray(0, 512)
    header.write('77777777777', 124)
    header.write('        ', 148)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const refused = await sendTar(api, gzipSync(Buffer.concat([header, Buffer.alloc(50_000_000)])))
    expect([refused.status, refused.body.code]).toEqual([413, 'too_large'])
  })
})

test('a gzip bomb of padding is stopped after a few megabytes', async () => {
  const tar = await tarOf([{ name: 'a', content: 'a' }])
  const padding = Buffer.alloc(60_000_000)
  const refused = await sendTar(api, gzipSync(Buffer.concat([tar, padding])))
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_archive'])
  expect(refused.body.error).toContain('far more in it than its files')
})

test("another organization's archive gives nothing to this one", async () => {
  const other = await world.org('Other')
  await sendEntries(other.owner.api, [{ name: 'a', content: 'theirs alone' }])
  expect((await announce(api, [file('a', 'theirs alone')])).body.missing).toEqual([shaOf('theirs alone')])
  expect(await blobRows(world, other.id)).toHaveLength(1)
})
