import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

export const GIBIBYTE = 1024 ** 3
const CHUNK = 64 * 1024

export type Content = { path: string; bytes: Buffer }
export const hashOf = (content: Content) => createHash('sha256').update(content.bytes).digest('hex')

/** A folder like a web project's: many files of a few kilobytes. */
export const smallFiles = (count: number, seed: string): Content[] =>
  Array.from({ length: count }, (_, i) => ({
    path: `src/dir${i % 40}/${seed}-${i}.ts`,
    bytes: Buffer.concat([Buffer.from(`${seed} ${i}\n`), randomBytes(200 + ((i * 7919) % 8000))]),
  }))

const random = randomBytes(CHUNK)

/** A gibibyte that no compression or repetition makes smaller: every chunk differs, none is kept. */
export async function* gibibyte(seed: string): AsyncGenerator<Buffer> {
  for (let i = 0; i < GIBIBYTE / CHUNK; i++) {
    const chunk = Buffer.from(random)
    chunk.write(`${seed} ${i}`)
    yield chunk
  }
}

/** The same as a gzip-compressed tar file with one entry. */
export function gibibyteTar(seed: string): Readable {
  async function* blocks() {
    yield tarHeader('one-gib', GIBIBYTE)
    yield* gibibyte(seed)
    yield Buffer.alloc(1024)
  }
  return Readable.from(blocks()).pipe(createGzip({ level: 0, chunkSize: CHUNK }))
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  const fields: [number, string][] = [
    [0, name],
    [100, '0000644\0'],
    [124, size.toString(8).padStart(11, '0')],
    [148, '        '],
    [156, '0'],
    [257, 'ustar\x0000'],
  ]
  for (const [offset, text] of fields) header.write(text, offset, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

const file = (path: string, size = 0) => ({ path, size, sha256: createHash('sha256').update(path).digest('hex') })

export const REFUSED = (tooMany: number) => [
  { what: 'an absolute path', files: [file('/etc/passwd')], code: 'invalid_path' },
  { what: 'a path with ..', files: [file('a/../../b')], code: 'invalid_path' },
  { what: 'a path twice', files: [file('a'), file('a')], code: 'invalid_path' },
  { what: 'a link that leaves the tree', files: [{ path: 'l', link: '../x' }], code: 'invalid_link' },
  {
    what: 'a link that leaves through another',
    files: [
      { path: 'd/e/up', link: '../..' },
      { path: 'l', link: 'd/e/up/../x' },
    ],
    code: 'invalid_link',
  },
  { what: 'too many files', files: Array.from({ length: tooMany }, (_, i) => file(`f${i}`)), code: 'too_large' },
  { what: 'a too large file', files: [file('big', 3 * GIBIBYTE)], code: 'too_large' },
  { what: 'a too large folder', files: [1, 2, 3, 4].map((n) => file(`f${n}`, 1.5 * GIBIBYTE)), code: 'too_large' },
]
