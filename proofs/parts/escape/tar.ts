import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { Entry } from './cases.ts'

const TYPES = { file: '0', 'hard link': '1', link: '2', block: '4', fifo: '6', submodule: '5' } as const
const BLOCK = 512

/** An archive as no tool would make it: any bytes in any name, links to anywhere, pipes and devices. */
export function tarOf(entries: Entry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]), { level: 1 })
}

/** A few kilobytes that are so many of zeros once they are unpacked. */
export function zerosTar(bytes: number): Readable {
  const chunk = Buffer.alloc(1 << 20)
  async function* blocks() {
    yield header('Dockerfile', TYPES.file, 0)
    yield header('z', TYPES.file, bytes)
    for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length))
    yield Buffer.alloc(2 * BLOCK)
  }
  return Readable.from(blocks()).pipe(createGzip({ level: 1 }))
}

function blocksOf(entry: Entry): Buffer[] {
  const body = Buffer.from(entry.text, 'latin1')
  const long = (type: string, text: string) =>
    text.length > 100
      ? [header('././@LongLink', type, text.length + 1), padded(Buffer.from(`${text}\0`, 'latin1'))]
      : []
  return [
    ...long('L', entry.path),
    ...long('K', entry.target),
    header(entry.path, TYPES[entry.kind], body.length, entry.mode, entry.target),
    padded(body),
  ]
}

function padded(body: Buffer): Buffer {
  const rest = body.length % BLOCK
  return rest === 0 ? body : Buffer.concat([body, Buffer.alloc(BLOCK - rest)])
}

function header(name: string, type: string, size: number, mode = 0o644, target = ''): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  block.write(name.slice(0, 100), 0, 'latin1')
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  block.fill(' ', 148, 156)
  block.write(type, 156, 'latin1')
  block.write(target.slice(0, 100), 157, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  octal(type === '4' ? 254 : 0, 329, 8)
  octal(0, 337, 8)
  const sum = block.reduce((all, byte) => all + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}
