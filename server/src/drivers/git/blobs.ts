import { once } from 'node:events'
import { gitEnvironment } from './environment.ts'
import { endGit, type GitChild, startGit } from './run.ts'
import type { Settings } from './settings.ts'

/** Gets an object's bytes piece by piece; what it returns is called at the end. */
export type Visit = (id: string, size: number) => { piece(bytes: Buffer): void; end(): void }

/** Reads many objects through one process, in the given order, holding only a piece at a time. */
export async function visitBlobs(
  { environment }: Settings,
  directory: string,
  ids: string[],
  visit: Visit,
  signal: AbortSignal,
): Promise<void> {
  if (ids.length === 0) return
  const child = startGit([`--git-dir=${directory}`, 'cat-file', '--batch', '--buffer'], gitEnvironment(environment))
  const stop = () => endGit(child)
  signal.addEventListener('abort', stop)
  child.stderr.resume()
  child.stdin.on('error', () => {})
  void feed(child, ids)
  try {
    let seen = 0
    for await (const done of answers(child.stdout, visit)) seen += done
    signal.throwIfAborted()
    if (seen !== ids.length) throw new Error(`git gave ${seen} of ${ids.length} objects`)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

async function feed(child: GitChild, ids: string[]): Promise<void> {
  for (const id of ids) {
    if (!child.stdin.write(`${id}\n`) && !child.stdin.destroyed) await once(child.stdin, 'drain').catch(() => {})
  }
  child.stdin.end()
}

/** `<id> blob <size>\n<bytes>\n`, over and over. Yields 1 for each whole object. */
export async function* answers(stream: AsyncIterable<Buffer>, visit: Visit): AsyncGenerator<number> {
  let head = ''
  let current: ReturnType<Visit> | undefined
  let left = 0
  for await (const chunk of stream) {
    let at = 0
    while (at < chunk.length) {
      if (!current) {
        const end = chunk.indexOf(10, at)
        head += chunk.toString('latin1', at, end < 0 ? chunk.length : end)
        at = end < 0 ? chunk.length : end + 1
        if (end < 0) continue
        const [id = '', kind, size] = head.split(' ')
        if (kind !== 'blob') throw new Error(`git does not have the object ${id}`)
        head = ''
        left = Number(size)
        current = visit(id, left)
      }
      const piece = chunk.subarray(at, at + left)
      if (piece.length > 0) current.piece(piece)
      at += piece.length
      left -= piece.length
      // The line break after the bytes.
      if (left > 0 || at >= chunk.length) continue
      at += 1
      current.end()
      current = undefined
      yield 1
    }
  }
}
