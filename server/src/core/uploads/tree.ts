import type { Readable } from 'node:stream'
import { notFound, Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import { announcedBy } from './announced.ts'
import * as rows from './blobs-store.ts'
import { contentsOf } from './folder.ts'
import { quoted } from './paths.ts'
import * as store from './store.ts'

type TreeEntry =
  | { kind: 'file'; path: string; size: number; mode: number; sha256: string }
  | { kind: 'link'; path: string; target: string }

/** A folder as it was announced: its paths are checked, and none leads outside. */
export type Tree = { entries: TreeEntry[]; read(file: Content): Promise<Readable> }
type Content = { path: string; sha256: string }

type Parts = Pick<BaseParts, 'db' | 'blobs'>

/** A sealed folder: every content can be read. */
export async function openTree(parts: Parts, orgId: string, id: string): Promise<Tree> {
  const session = await store.find(parts.db, { orgId, projectId: null }, id)
  if (!session?.sealedAt) throw notFound('sealed folder session')
  return treeOf(parts, orgId, id)
}

/** One that may not be complete yet: who reads what has not arrived hears what is to be sent. */
export async function openAnnounced(parts: Parts, scope: store.Scope, id: string): Promise<Tree> {
  const shown = await rows.present(parts.db, scope, (await announcedBy(parts.db, scope.orgId, id)).keys())
  return treeOf(parts, scope.orgId, id, ({ path, sha256 }) => {
    if (!shown.has(sha256)) throw notArrived(path, sha256)
  })
}

async function treeOf({ db, blobs }: Parts, orgId: string, id: string, check?: (file: Content) => void): Promise<Tree> {
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
      check?.({ path, sha256 })
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

const notArrived = (path: string, sha256: string) =>
  new Refusal('blobs_missing', `The content of ${quoted(path)} is needed for this, and has not arrived.`, {
    missing: [sha256],
    hint: 'Send it, and ask again.',
  })
