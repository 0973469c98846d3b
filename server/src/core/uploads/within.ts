import { type Tx, transaction } from '../../db/database.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'
import { Refusal } from '../../errors.ts'
import { requireRoom } from '../limits/require-room.ts'
import type { BaseParts } from '../parts.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config'>

/**
 * Writes rows of contents that are on disk, as far as the organization has room for them. `kept`: where each
 * lies now; null where nothing was written. Announcing looked for room already, but several sessions may have announced the same room.
 */
export async function within<Result extends { kept: Set<string> | null }>(
  parts: Parts,
  orgId: string,
  written: StoredBlob[],
  write: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await transaction(parts.db, async (tx) => {
      const result = await write(tx)
      const added = written.filter(({ location }) => result.kept?.has(location))
      const made = added.reduce((sum, { size }) => sum + size, 0)
      await requireRoom(parts, tx, orgId, 'uploadBytes', { made })
      return result
    })
  } catch (error) {
    // When anything else fails it may still have happened: the files stay, and are swept when no row turns out to name them.
    if (error instanceof Refusal) for (const { location } of written) await parts.blobs.remove(location)
    throw error
  }
}
