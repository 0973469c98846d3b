import { Readable } from 'node:stream'
import type { SourceTree } from '../../../server/src/source/build/source-tree.ts'
import type { Case } from './cases.ts'

/** A case's files as the product sees a source. */
export function treeOf({ files }: Pick<Case, 'files'>): SourceTree {
  const entries = [...files].map(([path, content]): SourceTree['entries'][number] =>
    typeof content === 'string'
      ? { kind: 'file', path, size: Buffer.byteLength(content), mode: 0o644, sha256: path }
      : { kind: 'link', path, target: content.link },
  )
  return { entries, read: async ({ path }) => Readable.from([Buffer.from(String(files.get(path)))]) }
}
