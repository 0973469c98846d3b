import type { Migration } from 'kysely/migration'
import { up as foundation } from './0001_foundation.ts'

/** In order; a migration that has been released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001_foundation': { up: foundation },
}
