import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readArchive, writeArchive } from './archive.ts'
import { HEADER } from './sealed.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipway-archive-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const source = join(dir, 'source')
mkdirSync(join(source, 'uploads'), { recursive: true })
writeFileSync(join(source, 'settings'), 'SLIPWAY_SECRET_KEY=very-secret\n')
// Not to be made smaller, so that there are several pieces.
writeFileSync(join(source, 'uploads/big'), randomBytes(400_000))
const file = join(dir, 'backup.slipway')
const written = writeArchive(file, 'open sesame', [
  { folder: source, names: ['settings'] },
  { folder: join(source, 'uploads'), names: ['.'], below: 'data' },
])

/** A piece with its tag. */
const PIECE = 64 * 1024 + 16

function exchanged(bytes: Buffer): Buffer {
  const [first, second] = [0, 1].map((n) => bytes.subarray(HEADER + n * PIECE, HEADER + (n + 1) * PIECE))
  return Buffer.concat([
    bytes.subarray(0, HEADER),
    second ?? '',
    first ?? '',
    bytes.subarray(HEADER + 2 * PIECE),
  ] as Buffer[])
}

/** A copy of the archive with something done to it. */
function changed(how: (bytes: Buffer) => Buffer): string {
  const copy = join(dir, `changed-${readdirSync(dir).length}`)
  writeFileSync(copy, how(readFileSync(file)))
  return copy
}

test('what was put in comes out, below the names it was given', async () => {
  await written
  const into = mkdtempSync(join(dir, 'out-'))
  await readArchive(file, 'open sesame', into)
  expect(readFileSync(join(into, 'settings'), 'utf8')).toBe('SLIPWAY_SECRET_KEY=very-secret\n')
  expect(readFileSync(join(into, 'data/big')).equals(readFileSync(join(source, 'uploads/big')))).toBe(true)
})

test('nothing of it can be read without the passphrase', async () => {
  await written
  expect(readFileSync(file).includes('very-secret')).toBe(false)
  const into = mkdtempSync(join(dir, 'out-'))
  await expect(readArchive(file, 'open barley', into)).rejects.toThrow('The passphrase is not that of this backup')
  expect(readdirSync(into)).toEqual([])
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  [
    'a bit in the middle',
    (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))),
  ],
  ['a bit of its end', (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)))],
  ['its last byte', (bytes) => bytes.subarray(0, -1)],
  ['half of it', (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ['everything after its first lines', (bytes) => bytes.subarray(0, HEADER)],
  ['all but its first two pieces', (bytes) => bytes.subarray(0, HEADER + 2 * PIECE)],
  ['two pieces in the other order', (bytes) => exchanged(bytes)],
  ['something behind it', (bytes) => Buffer.concat([bytes, Buffer.from('more')])],
])('an archive that was changed or cut is noticed: %s', async (_, how) => {
  await written
  await expect(readArchive(changed(how), 'open sesame')).rejects.toThrow(
    /damaged|cut off|ends in the middle|passphrase/,
  )
})

test('a file of another kind is told as such', async () => {
  const other = join(dir, 'other')
  writeFileSync(other, Buffer.alloc(100))
  await expect(readArchive(other, 'open sesame')).rejects.toThrow('no backup of Slipway')
  truncateSync(other, 3)
  await expect(readArchive(other, 'open sesame')).rejects.toThrow('no backup of Slipway')
})

test('a failed one leaves nothing that could be taken for a backup', async () => {
  const to = join(dir, 'failed.slipway')
  await expect(writeArchive(to, 'x', [{ folder: join(dir, 'nowhere'), names: ['.'] }])).rejects.toThrow(
    'tar ended with 2',
  )
  expect(readdirSync(dir)).not.toContain('failed.slipway')
})
