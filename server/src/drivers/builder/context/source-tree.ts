import type { Readable } from 'node:stream'

export type SourceEntry =
  | { kind: 'file'; path: string; size: number; mode: number; sha256: string }
  | { kind: 'link'; path: string; target: string }

/** What a context is made from; its paths are relative, with `/` between their parts. */
export type SourceTree = {
  entries: SourceEntry[]
  read(file: { path: string; sha256: string }): Promise<Readable>
}
