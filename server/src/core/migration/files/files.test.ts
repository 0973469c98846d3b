import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { localFiles } from '../../../drivers/runtime/reading/local-files.ts'
import { lookAt } from './look-at.ts'
import { mayRead } from './may-read.ts'
import { readInPlace } from './read-in-place.ts'

let folder: string
const files = localFiles(new AbortController().signal)
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  return join(folder, path)
}
const sparse = (at: string) => {
  writeFileSync(at, '')
  truncateSync(at, 5e9)
}
const read = (...names: string[]) =>
  readInPlace(files, { files: names.map((name) => join(folder, name)), envFiles: null, folder: null, name: 'p' })

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-files-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('what a file may be read as is decided by where its links end', () => {
  expect(mayRead('/srv/blog/compose.yaml', 'compose', '')).toBe(true)
  for (const path of ['/etc/shadow', '/srv/x.txt', '/proc/1/environ.yaml', '/root/.ssh/a.yml', '/dev/zero.yaml'])
    expect(mayRead(path, 'compose', ''), path).toBe(false)
  expect(mayRead('/opt/env/git.env', 'env', '/srv/blog')).toBe(true)
  for (const path of ['/etc/environment', '/etc/shadow', '/usr/share/x', '/proc/self/environ', 'relative'])
    expect(mayRead(path, 'env', '/srv/blog'), path).toBe(false)
  expect(mayRead('/etc/blog/app.env', 'env', '/etc/blog')).toBe(true)
  expect(mayRead('/etc/shadow', 'env', '/etc')).toBe(false)
})

test.each([
  ['a link to the passwords', 'forbidden', (at: string) => symlinkSync('/etc/shadow', at)],
  ['a link to a device', 'forbidden', (at: string) => symlinkSync('/dev/zero', at)],
  ['a FIFO', 'not_a_file', (at: string) => execFileSync('mkfifo', [at])],
  ['a folder', 'not_a_file', (at: string) => mkdirSync(at)],
  ['five gigabytes of nothing', 'too_large', sparse],
  ['a link in a circle', 'not_a_file', (at: string) => symlinkSync(at, at)],
  ['nothing', 'missing', () => {}],
])('%s is not read: %s', async (_, reason, make) => {
  const path = join(folder, 'x.yaml')
  make(path)
  expect(await lookAt(files, path, 'compose', folder)).toEqual({ ok: false, reason })
})

test('a stack is read with its parts, wherever they lie, and each file once', async () => {
  put(
    'compose.yaml',
    'include: [parts/cache.yaml]\nservices: {a: {extends: {file: ../base.yaml, service: b}, env_file: [x.env]}}',
  )
  put('parts/cache.yaml', 'services: {cache: {image: "c:$TAG"}}')
  put('parts/.env', 'TAG=7')
  put('x.env', 'X=1')
  writeFileSync(join(dirname(folder), 'base.yaml'), 'services: {b: {image: y}}')
  try {
    const before = files.cost.bytes
    const found = await read('compose.yaml')
    if (!found.ok) throw new Error(found.reason)
    expect(found.project.services).toMatchObject({
      a: { image: 'y', environment: { X: '1' } },
      cache: { image: 'c:7' },
    })
    expect(files.cost.bytes - before).toBeLessThan(300)
  } finally {
    rmSync(join(dirname(folder), 'base.yaml'))
  }
})

test('a file that cannot be read says why, and nothing of what is in it', async () => {
  put('bad.yaml', 'services: {a: {image: [secret-word')
  put('bytes.yaml', 'services: {a: {image: "x"}}')
  writeFileSync(join(folder, 'bytes.yaml'), Buffer.from([0x61, 0xff, 0xfe]))
  put('need.yaml', `services: {a: {image: "x:$${'{'}NEED:?secret-word}"}}`)
  put('env.yaml', 'services: {a: {image: x, env_file: [/etc/shadow]}}')
  put('circle.yaml', 'include: [circle.yaml]\nservices: {a: {image: x}}')
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((c, n) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[n]}`).join()}]`),
  ]
  put('bomb.yaml', `${bomb.join('\n')}\nservices: {s: {image: x, command: *i}}`)
  const reasons = Object.fromEntries(
    await Promise.all(
      ['bad', 'bytes', 'need', 'env', 'circle', 'bomb', 'gone'].map(async (name) => {
        const found = await read(`${name}.yaml`)
        expect(JSON.stringify(found)).not.toContain('secret-word')
        return [name, found.ok || found.reason]
      }),
    ),
  )
  expect(reasons).toEqual({
    bad: 'invalid',
    bytes: 'invalid',
    need: 'needs_variable',
    env: 'invalid',
    circle: 'invalid',
    bomb: 'too_large',
    gone: 'missing',
  })
})
