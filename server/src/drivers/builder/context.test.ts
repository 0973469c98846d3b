import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SourceEntry, SourceTree } from './context/source-tree.ts'
import { syncContext } from './context.ts'

let parent: string
let directory: string
let reads: string[]
const never = new AbortController().signal

beforeEach(() => {
  parent = fs.mkdtempSync(join(tmpdir(), 'slipway-context-'))
  directory = join(parent, 'prj_x')
  reads = []
})
afterEach(() => fs.rmSync(parent, { recursive: true }))

describe('a directory made equal to a tree', () => {
  test('has its files with their modes, its links, and nothing else', async () => {
    const script = { text: 'x', mode: 0o755 }
    const tree = treeOf({ 'a.txt': 'one', 'bin/run': script, 'deep/er/b': '', 'bin/link': { target: '../a.txt' } })
    expect(await sync(tree)).toEqual({ written: 4, kept: 0, removed: 0 })
    expect(listed()).toEqual({
      'a.txt': 'one',
      bin: '755',
      'bin/link': '-> ../a.txt',
      'bin/run': 'x',
      deep: '755',
      'deep/er': '755',
      'deep/er/b': '',
    })
    expect(fs.statSync(join(directory, 'bin/run')).mode & 0o7777).toBe(0o755)
    expect(fs.statSync(join(directory, 'a.txt')).mode & 0o7777).toBe(0o644)
    expect(fs.readdirSync(parent).sort()).toEqual(['.prj_x.manifest', 'prj_x'])
  })

  test('reads and touches only what changed', async () => {
    await sync(treeOf({ same: 'one', changed: 'two', gone: 'three', link: { target: 'same' }, 'empty/dir': '' }))
    const before = mtimes()
    reads = []
    const tree = treeOf({ same: 'one', changed: 'TWO', link: { target: 'same' }, new: 'four' })
    expect(await sync(tree)).toEqual({ written: 2, kept: 2, removed: 2 })
    expect(reads.sort()).toEqual(['changed', 'new'])
    expect(listed()).toEqual({ same: 'one', changed: 'TWO', link: '-> same', new: 'four' })
    expect([mtimes().same, mtimes().link]).toEqual([before.same, before.link])
  })

  test('gives a changed file of the same size another mtime, however fast the changes come', async () => {
    const seen = new Set<bigint>()
    for (let n = 0; n < 20; n++) {
      await sync(treeOf({ a: `${n}`.padStart(4) }))
      seen.add(mtimes().a ?? 0n)
    }
    expect(seen.size).toBe(20)
  })

  test('notices a change of mode, a link that became a file, and a file that became a directory', async () => {
    await sync(treeOf({ a: 'x', b: { target: 'a' }, c: 'file' }))
    await sync(treeOf({ a: { text: 'x', mode: 0o700 }, b: 'y', 'c/d': 'z' }))
    expect(listed()).toEqual({ a: 'x', b: 'y', c: '755', 'c/d': 'z' })
    expect(fs.statSync(join(directory, 'a')).mode & 0o777).toBe(0o700)
  })

  test('puts right what others did to it, even where they put the mtime back', async () => {
    const tree = treeOf({ a: 'one', b: 'two', 'd/c': 'three' })
    await sync(tree)
    const { atime, mtime } = fs.statSync(join(directory, 'a'))
    fs.writeFileSync(join(directory, 'a'), 'ONE')
    fs.utimesSync(join(directory, 'a'), atime, mtime)
    fs.rmSync(join(directory, 'd'), { recursive: true })
    fs.writeFileSync(join(directory, 'surplus'), '')
    await sync(tree)
    expect(listed()).toEqual({ a: 'one', b: 'two', d: '755', 'd/c': 'three' })
  })

  test('believes no record from before a boot without looking at the contents', async () => {
    const tree = treeOf({ a: 'one', b: 'two' })
    await sync(tree)
    const before = mtimes()
    const record = join(parent, '.prj_x.manifest')
    const said = JSON.parse(fs.readFileSync(record, 'utf8'))
    const lost = fs.openSync(join(directory, 'b'), 'r+')
    fs.writeSync(lost, '\0\0\0')
    fs.closeSync(lost)
    const { mtimeNs, ctimeNs } = fs.lstatSync(join(directory, 'b'), { bigint: true })
    const files = said.files.map(([path, one]: [string, object]) =>
      path === 'b' ? [path, { ...one, mtime: String(mtimeNs), ctime: String(ctimeNs) }] : [path, one],
    )
    fs.writeFileSync(record, JSON.stringify({ ...said, boot: 'an earlier one', files }))
    expect(await sync(tree)).toEqual({ written: 1, kept: 1, removed: 0 })
    expect(listed()).toEqual({ a: 'one', b: 'two' })
    expect(mtimes().a).toBe(before.a)
  })
})

describe('nothing outside of the directory is touched', () => {
  test.for(['../out', '/out', 'a/../../out', 'a//b', './a', '', 'a/', 'a\0b'])('by the path %j', async (path) => {
    await expect(sync(treeOf({ [path]: 'x' }))).rejects.toThrow('leads elsewhere')
    expect(fs.readdirSync(parent)).toEqual([])
  })

  test('through a link in the tree', async () => {
    await expect(sync(treeOf({ a: { target: '..' }, 'a/b': 'x' }))).rejects.toThrow('is a directory and a link')
  })

  test('through a link that stands in the way of a directory or a file', async () => {
    const outside = join(parent, 'outside')
    fs.mkdirSync(outside)
    fs.writeFileSync(join(outside, 'b'), 'precious')
    fs.mkdirSync(directory)
    for (const name of ['a', 'b']) fs.symlinkSync(name === 'a' ? outside : join(outside, 'b'), join(directory, name))
    await sync(treeOf({ 'a/b': 'x', b: 'y' }))
    expect(fs.readFileSync(join(outside, 'b'), 'utf8')).toBe('precious')
    expect(listed()).toEqual({ a: '755', 'a/b': 'x', b: 'y' })
  })
})

describe('a sync that does not come to its end', () => {
  test.for([
    ['another content', 'two'],
    ['a longer one', 'longer'],
    ['a shorter one', 'o'],
  ] as const)('because a file is not what was announced (%s) leaves the old file and is repeated', async ([, bad]) => {
    await sync(treeOf({ a: 'old' }))
    const tree = treeOf({ a: 'new' })
    await expect(sync({ ...tree, read: async () => Readable.from([Buffer.from(bad)]) })).rejects.toThrow(/announced/)
    expect(listed()).toEqual({ a: 'old' })
    await sync(tree)
    expect(listed()).toEqual({ a: 'new' })
  })

  test('because it is aborted stops reading', async () => {
    const stop = new AbortController()
    const tree = treeOf({ a: 'one', b: 'two' })
    const endless = new Readable({ read() {} })
    const syncing = syncContext(directory, { ...tree, read: async () => endless }, stop.signal)
    stop.abort(new Error('enough'))
    await expect(syncing).rejects.toThrow()
    await sync(tree)
    expect(listed()).toEqual({ a: 'one', b: 'two' })
  })

  test('because it is killed is put right by the next, wherever it stood', async () => {
    const contents = (round: number) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n % 7}/f${n}`, `${round}.${n}`]))
    for (let round = 0; round < 6; round++) {
      const child = startSync(contents(round))
      await new Promise((resolve) => child.stdout?.once('data', resolve))
      await new Promise((resolve) => setTimeout(resolve, round * 7))
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('exit', resolve))
    }
    const wanted = { ...contents(9), last: 'one' }
    await sync(treeOf(wanted))
    expect(Object.fromEntries(Object.entries(listed()).filter(([, text]) => text !== '755'))).toEqual(wanted)
    expect(fs.readdirSync(parent).filter((name) => name.includes('unfinished'))).toEqual([])
  })
})

type Content = string | { text: string; mode: number } | { target: string }

function treeOf(files: Record<string, Content>): SourceTree {
  const texts = new Map<string, string>()
  const entries = Object.entries(files).map(([path, content]): SourceEntry => {
    if (typeof content === 'object' && 'target' in content) return { kind: 'link', path, target: content.target }
    const { text, mode } = typeof content === 'string' ? { text: content, mode: 0o644 } : content
    texts.set(path, text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { kind: 'file', path, size: Buffer.byteLength(text), mode, sha256 }
  })
  return {
    entries,
    async read({ path }) {
      reads.push(path)
      return Readable.from([Buffer.from(texts.get(path) ?? '')])
    },
  }
}

function sync(tree: SourceTree) {
  return syncContext(directory, tree, never)
}

/** Files by content, links by target, directories by mode. */
function listed(): Record<string, string> {
  const found = fs.readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(directory.length + 1)
    if (entry.isSymbolicLink()) return [name, `-> ${fs.readlinkSync(path)}`]
    return [name, entry.isFile() ? fs.readFileSync(path, 'utf8') : (fs.statSync(path).mode & 0o777).toString(8)]
  })
  return Object.fromEntries(found)
}

function mtimes(): Record<string, bigint> {
  const names = fs.readdirSync(directory)
  return Object.fromEntries(names.map((name) => [name, fs.lstatSync(join(directory, name), { bigint: true }).mtimeNs]))
}

/** A process that syncs slowly and says when it begins. */
function startSync(files: Record<string, string>): ChildProcess {
  const program = join(parent, 'sync.mjs')
  fs.writeFileSync(
    program,
    `import { syncContext } from ${JSON.stringify(join(import.meta.dirname, 'context.ts'))}
    import { createHash } from 'node:crypto'
    import { Readable } from 'node:stream'
    const [directory, files] = JSON.parse(process.argv[2])
    const hash = (text) => createHash('sha256').update(text).digest('hex')
    const entries = Object.entries(files).map(([path, text]) =>
      ({ kind: 'file', path, size: text.length, mode: 0o644, sha256: hash(text) }))
    const read = async ({ path }) => { process.stdout.write('.'); return Readable.from([Buffer.from(files[path])]) }
    await syncContext(directory, { entries, read }, new AbortController().signal)`,
  )
  const argv = [program, JSON.stringify([directory, files])]
  return spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
}
