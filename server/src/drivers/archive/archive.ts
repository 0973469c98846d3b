/**
 * Where things lie that are written once and rarely read. Keys and four calls, as object stores have them: a bucket can
 * take the place of a directory. What is put is small enough to be held in memory.
 */
export type Archive = {
  /** Whole or not at all: when it resolves, the bytes survive a power cut. A key is used once. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** null: nothing is there. Thrown is what keeps us from knowing. */
  get(key: string): Promise<Buffer | null>
  /** Removing what is gone already is fine. */
  remove(key: string): Promise<void>
  /** Keys of what was put longer ago than this, in batches; who asks knows which of it is still wanted. */
  listOlderThan(milliseconds: number): AsyncIterable<string[]>
}

/** Words of small letters, digits, `_`, `-` and `.`, with slashes between: the same in a bucket and on a disk. */
export const KEY = /^[a-z0-9_][a-z0-9_.-]{0,99}(\/[a-z0-9_][a-z0-9_.-]{0,99}){0,5}$/
