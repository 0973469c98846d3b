import type { Migration } from 'kysely/migration'
import { up as foundation } from './0001_foundation.ts'
import { up as runs } from './0002_runs.ts'
import { up as deployments } from './0003_deployments.ts'
import { up as logRetention } from './0004_log_retention.ts'
import { up as gitCredentials } from './0005_git_credentials.ts'
import { up as lifecycle } from './0006_lifecycle.ts'
import { up as bake } from './0007_bake.ts'
import { up as certificates } from './0008_certificates.ts'
import { up as backupDestinations } from './0009_backup_destinations.ts'
import { up as sealingKeys } from './0010_sealing_keys.ts'
import { up as destinationChecks } from './0011_destination_checks.ts'
import { up as pathPrefixes } from './0012_path_prefixes.ts'
import { up as access } from './0013_access.ts'
import { up as scopes } from './0014_scopes.ts'
import { up as claimIds } from './0017_claim_ids.ts'
import { up as instance } from './0018_instance.ts'

/** In order; a migration that has been released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001_foundation': { up: foundation },
  '0002_runs': { up: runs },
  '0003_deployments': { up: deployments },
  '0004_log_retention': { up: logRetention },
  '0005_git_credentials': { up: gitCredentials },
  '0006_lifecycle': { up: lifecycle },
  '0007_bake': { up: bake },
  '0008_certificates': { up: certificates },
  '0009_backup_destinations': { up: backupDestinations },
  '0010_sealing_keys': { up: sealingKeys },
  '0011_destination_checks': { up: destinationChecks },
  '0012_path_prefixes': { up: pathPrefixes },
  '0013_access': { up: access },
  '0014_scopes': { up: scopes },
  '0017_claim_ids': { up: claimIds },
  '0018_instance': { up: instance },
}
