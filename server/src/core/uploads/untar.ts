import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { Refusal } from '../../errors.ts'
import { quoted } from './paths.ts'
import { receive } from './receive.ts'

type Entry = Extract extends AsyncIterable<infer E> ? E : never

export type TarEntry =
  | { kind: 'file'; path: string; size: number; mode: number; content: AsyncIterable<Buffer> }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'directory'; path: string }

/** Headers and padding an archive may have beside its files: beyond it, it is made to keep us busy. */
const FREE_OVERHEAD = 16 * 1024 * 1024
const OVERHEAD_PER_ENTRY = 64 * 1024

/** The entries of a gzip-compressed tar stream, one at a time: read an entry's content before asking for the next. */
export async function* untar(body: Readable): AsyncGenerator<TarEntry> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  const entries = extract()
  const limit = overheadLimit()
  const chunks = receive(body)
  let failure: unknown
  const flow = pipeline(gunzip, limit.pass, entries).catch((error: unknown) => {
    failure = error
  })
  void feed(gunzip, chunks)
  try {
    for await (const entry of entries) {
      limit.entry(entry.header.size)
      yield read(entry)
      entry.resume()
    }
    await flow
    if (failure) throw failure
  } catch (error) {
    throw broken(failure ?? error)
  } finally {
    gunzip.destroy()
    // The feeder may wait for a gunzip that is gone: let the rest of the body flow away all the same.
    void chunks.return(undefined)
  }
}

async function feed(gunzip: Gunzip, chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      await new Promise<void>((done, fail) => gunzip.write(chunk, (error) => (error ? fail(error) : done())))
    }
    gunzip.end()
  } catch (error) {
    gunzip.destroy(error as Error)
  }
}

function overheadLimit() {
  let passed = 0
  let allowed = FREE_OVERHEAD
  return {
    entry(size: number) {
      allowed += Math.ceil(size / 512) * 512 + OVERHEAD_PER_ENTRY
    },
    async *pass(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        passed += chunk.length
        if (passed > allowed) throw broken(new Error('there is far more in it than its files'))
        yield chunk
      }
    },
  }
}

function read(entry: Entry): TarEntry {
  const { name, size, mode, type, linkname } = entry.header
  // `tar -C folder -cz .` writes ./a for a, and old archives mark a directory only by its slash.
  const path = name.replace(/^(\.\/+)+/, '').replace(/\/+$/, '')
  if (type === 'directory' || (type === 'file' && name.endsWith('/'))) return { kind: 'directory', path }
  if (type === 'symlink') return { kind: 'link', path, target: linkname ?? '' }
  if ((type === 'file' || type === 'contiguous-file') && !isSparse(entry)) {
    return { kind: 'file', path, size, mode: mode & 0o777, content: contentOf(entry, size) }
  }
  throw new Refusal('invalid_link', `The entry ${quoted(name)} is a ${KINDS[type] ?? 'special file'}.`, {
    hint: 'Only files, directories and symbolic links are taken; with GNU tar, --hard-dereference stores hard links as files.',
  })
}

const KINDS: Record<string, string> = {
  link: 'hard link',
  'character-device': 'device',
  'block-device': 'device',
  fifo: 'named pipe',
  file: 'sparse file',
}

/** Its bytes in the archive are a map and pieces, not the content. */
const isSparse = (entry: Entry) => Object.keys(entry.header.pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))

async function* contentOf(entry: Entry, size: number): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      received += chunk.length
      yield chunk
    }
  } catch (error) {
    throw broken(error)
  }
  // A stream that is torn down can end as if it were complete.
  if (received !== size) throw broken(new Error('it ends in the middle of a file'))
}

const broken = (cause: unknown): Refusal =>
  cause instanceof Refusal
    ? cause
    : new Refusal('invalid_archive', `The archive cannot be read: ${(cause as Error).message}.`, {
        hint: 'Send a gzip-compressed tar file, such as made by `tar -C folder -cz .`.',
        cause,
      })
