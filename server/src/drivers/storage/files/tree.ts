import type { Sum } from '../sha256.ts'
import type { ByteSource } from '../stream.ts'

/** `found` where the listing tells it at no cost. */
export type FileEntry = { kind: 'file' | 'folder' | 'other'; name: string; found?: Found }
type Found = { bytes: number; modifiedAt: Date }

export type FileSink = {
  /** Answers when more may come; the bytes are not to be changed any more. */
  write(piece: Buffer): Promise<void>
  /** Everything is on the disk and the file is closed. */
  finish(): Promise<void>
  /** Gives up; never fails. */
  abandon(): Promise<void>
  /** Written for certain. */
  written(): number
}

export type Limits = { signal: AbortSignal }

/**
 * Files below one folder, on this machine or on another. Paths are relative and `/`-separated. Failures of any kind may come
 * up; `explain` finds the words.
 */
export interface FileTree {
  /** How much `write` likes to be given at once. */
  readonly pieceBytes: number
  /** How many buffers a byte fills on its way. */
  readonly buffers: 1 | 2
  /** Who makes the sum of what is written. */
  newSum(): Sum
  /** A new file for us alone; its folders are made. */
  create(path: string, limits: Limits): Promise<FileSink>
  read(path: string, range: { from: number; to?: number }, limits: Limits): Promise<ByteSource>
  stat(path: string, limits: Limits): Promise<Found | null>
  /** What is in a folder, in no order; nothing where there is no such folder. */
  entries(folder: string, limits: Limits): AsyncIterable<FileEntry>
  /** Replaces what was there, in one step. */
  rename(from: string, to: string, limits: Limits): Promise<void>
  /** Whether it was there. */
  remove(path: string, limits: Limits): Promise<boolean>
  /** Removes an empty folder; anything else stays, without a word. */
  removeFolder(path: string, limits: Limits): Promise<boolean>
  explain(error: unknown, what: string): Promise<unknown>
  close(): void
}
