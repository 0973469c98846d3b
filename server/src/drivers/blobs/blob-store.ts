import type { Readable } from 'node:stream'

/** A content that is safely stored. A location is made once and never used again for another writing. */
export type StoredBlob = { location: string; size: number; sha256: string }

export type WriteOptions = {
  maxBytes: number
  /** What the content must turn out to be, where its sender announced it. */
  size?: number
  sha256?: string
}

/** Where file contents are kept. A location means something only to the store that gave it out. */
export type BlobStore = {
  /** Stores a stream whole or not at all: when it resolves, the bytes survive a power cut. */
  write(orgId: string, body: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredBlob>
  /** null: nothing is there. */
  read(location: string): Promise<Readable | null>
  /** Removing what is gone already is fine. */
  remove(location: string): Promise<void>
  /** All that was stored longer ago than this, in batches; who asks knows which of it is still wanted. */
  listOlderThan(milliseconds: number): AsyncIterable<string[]>
  /** Clears away what writers that died left half written; returns how many. */
  removeUnfinished(olderThanMilliseconds: number): Promise<number>
}
