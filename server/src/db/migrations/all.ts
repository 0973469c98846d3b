import type { Migration } from 'kysely/migration'
import { up as foundation } from './0001_foundation.ts'
import { up as runs } from './0002_runs.ts'
import { up as deployments } from './0003_deployments.ts'

/** In order; a migration that has been released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001_foundation': { up: foundation },
  '0002_runs': { up: runs },
  '0003_deployments': { up: deployments },
}
