import type { Readable } from 'node:stream'
import { notFound, Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import * as rows from './blobs-store.ts'
import { contentsOf } from './folder.ts'
import * as store from './store.ts'

type TreeEntry =
  | { kind: 'file'; path: string; size: number; mode: number; sha256: string }
  | { kind: 'link'; path: string; target: string }

/** A sealed folder: its paths are checked, none leads outside, and every content can be read. */
export type Tree = { entries: TreeEntry[]; read(file: { path: string; sha256: string }): Promise<Readable> }

export async function openTree(
  { db, blobs }: Pick<BaseParts, 'db' | 'blobs'>,
  orgId: string,
  id: string,
): Promise<Tree> {
  const session = await store.find(db, { orgId, projectId: null }, id)
  if (!session?.sealedAt) throw notFound('sealed folder session')
  const files = await store.filesOf(db, orgId, id)
  const locations = await rows.locationsOf(db, orgId, contentsOf(files).keys())
  return {
    entries: files.map(
      (file): TreeEntry =>
        'l' in file
          ? { kind: 'link', path: file.p, target: file.l }
          : { kind: 'file', path: file.p, size: file.s, mode: file.m, sha256: file.h },
    ),
    async read({ path, sha256 }) {
      const location = locations.get(sha256)
      const content = location === undefined ? null : await blobs.read(location)
      if (content) return content
      // A data directory that was lost or restored from an older copy: forget the row, and the next upload heals it.
      if (location !== undefined) await rows.forget(db, orgId, location)
      throw new Refusal('blobs_missing', `The content of ${path} is no longer stored here.`, {
        missing: [sha256],
        hint: 'Upload the folder again.',
      })
    },
  }
}
