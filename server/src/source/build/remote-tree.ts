import { Readable } from 'node:stream'
import type { ReadableTree } from './source-tree.ts'

/** A repository on a git host as its own API shows it: all paths at once, contents one by one. Nothing is cloned. */
export type RemoteListing = {
  files: { path: string; size: number }[]
  read(path: string): Promise<Uint8Array>
  /** What was not seen. */
  warnings: string[]
}

export const remoteTree = ({ files, read }: RemoteListing): ReadableTree => ({
  entries: files.map(({ path, size }) => ({ kind: 'file', path, size })),
  read: async ({ path }) => Readable.from([Buffer.from(await read(path))]),
})
