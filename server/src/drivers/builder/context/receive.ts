import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { modeOf } from './manifest.ts'
import type { SourceEntry } from './source-tree.ts'

/** Writes a new file and throws when it is not the announced content. */
export async function receive(
  content: Readable,
  path: string,
  file: SourceEntry & { kind: 'file' },
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  const check = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      hash.update(chunk)
      done(size > file.size ? new Error(`${file.path} is longer than the announced ${file.size} bytes`) : null, chunk)
    },
  })
  await pipeline(content, check, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  if (size !== file.size || hash.digest('hex') !== file.sha256) {
    throw new Error(`the content of ${file.path} is not the announced one`)
  }
  await chmod(path, modeOf(file))
}
