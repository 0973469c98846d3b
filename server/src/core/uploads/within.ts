import { type Tx, transaction } from '../../db/database.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'
import { Refusal } from '../../errors.ts'
import { requireRoom } from '../limits/require-room.ts'
import type { BaseParts } from '../parts.ts'
import { present } from './blobs-store.ts'
import type { Scope } from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config'>

/**
 * Writes rows of contents that are on disk, as far as the organization has room for them. `kept`: where each lies now; null
 * where nothing was written. Announcing looked for room already, but several sessions may have announced the same room.
 */
export async function within<Result extends { kept: Set<string> | null }>(
  parts: Parts,
  scope: Scope,
  written: StoredBlob[],
  write: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await transaction(parts.db, async (tx) => {
      // A credential of one project does not learn from a refusal what others have: what it is not shown counts as new.
      const shown = scope.projectId === null ? null : await present(tx, scope, hashesOf(written))
      const result = await write(tx)
      const made = sizeOf(written.filter(({ location }) => result.kept?.has(location)))
      const unseen = shown && sizeOf(written.filter(({ sha256 }) => !shown.has(sha256)))
      await requireRoom(parts, tx, scope.orgId, 'uploadBytes', { made, coming: Math.max(0, (unseen ?? 0) - made) })
      return result
    })
  } catch (error) {
    // When anything else fails it may still have happened: the files stay, and are swept when no row turns out to name them.
    if (error instanceof Refusal) for (const { location } of written) await parts.blobs.remove(location)
    throw error
  }
}

const hashesOf = (blobs: StoredBlob[]) => blobs.map(({ sha256 }) => sha256)
const sizeOf = (blobs: StoredBlob[]) => blobs.reduce((sum, { size }) => sum + size, 0)
