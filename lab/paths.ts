import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

export const repository: string = resolve(import.meta.dirname, '..')

/** Where this lab lives. Another folder is another lab: it can run beside the first one. */
export const labDir: string = resolve(process.env.SLIPWAY_LAB_DIR ?? join(repository, '.lab'))

/** Downloads and made images: the same for every lab of this checkout. */
export const cacheDir: string = join(repository, '.lab', 'cache')

/** Thrown away by `down` and before every fresh start of a part. */
export const stateDir: string = join(labDir, 'state')

/** Names of links, cgroups and tables derive from it, so that two labs never meet. */
export const labId: string = createHash('sha256').update(labDir).digest('hex').slice(0, 6)

export function partDir(part: string): string {
  return join(stateDir, part)
}
