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
import { up as fairRuns } from './0015_fair_runs.ts'
import { up as claimIds } from './0017_claim_ids.ts'
import { up as instance } from './0018_instance.ts'
import { up as versions } from './0019_versions.ts'
import { up as serverPolicy } from './0020_server_policy.ts'
import { up as sessionMode } from './0021_session_mode.ts'
import { up as githost } from './0023_githost.ts'
import { up as githostRepositories } from './0024_githost_repositories.ts'
import { up as githostDeliveries } from './0025_githost_deliveries.ts'
import { up as githostPush } from './0026_githost_push.ts'
import { up as githostProblems } from './0027_githost_problems.ts'
import { up as adoption } from './0030_adoption.ts'
import { up as plan } from './0031_plan.ts'
import { up as engineOfRelease } from './0032_engine_of_release.ts'
import { up as platformAddress } from './0033_platform_address.ts'
import { up as cliSignIn } from './0034_cli_sign_in.ts'
import { up as registries } from './0035_registries.ts'
import { up as listIndexes } from './0036_list_indexes.ts'
import { up as mail } from './0037_mail.ts'
import { up as organizationLimits } from './0038_organization_limits.ts'
import { up as signUp } from './0039_sign_up.ts'
import { up as cloudLink } from './0040_cloud_link.ts'
import { up as cloudDeployments } from './0041_cloud_deployments.ts'
import { up as instanceLinks } from './0042_instance_links.ts'
import { up as promotion } from './0043_promotion.ts'
import { up as relay } from './0044_relay.ts'
import { up as githostBroker } from './0045_githost_broker.ts'
import { up as deploymentFacts } from './0046_deployment_facts.ts'
import { up as cloudOrganization } from './0047_cloud_organization.ts'
import { up as relayMarks } from './0048_relay_marks.ts'
import { up as uploadBytes } from './0049_upload_bytes.ts'
import { up as formerLinks } from './0050_former_links.ts'
import { up as dueIndexes } from './0052_due_indexes.ts'
import { up as namesOfOrganization } from './0054_names_of_organization.ts'
import { up as cloudWrites } from './0055_cloud_writes.ts'
import { up as auditByActor } from './0056_audit_by_actor.ts'
import type { SchemaMigration } from './migration.ts'

/** In order; a migration that has been released is never edited. `contract`: see `migration.ts`. */
export const migrations: Record<string, SchemaMigration> = {
  '0001_foundation': { up: foundation },
  '0002_runs': { up: runs },
  '0003_deployments': { up: deployments },
  '0004_log_retention': {
    up: logRetention,
    contract: { floor: '0004_log_retention', why: 'gives each place in the archive to one segment' },
  },
  '0005_git_credentials': { up: gitCredentials },
  '0006_lifecycle': { up: lifecycle },
  '0007_bake': { up: bake },
  '0008_certificates': {
    up: certificates,
    contract: { floor: '0008_certificates', why: 'takes the columns service, port and path_prefix from host_name' },
  },
  '0009_backup_destinations': { up: backupDestinations },
  '0010_sealing_keys': { up: sealingKeys },
  '0011_destination_checks': { up: destinationChecks },
  '0012_path_prefixes': {
    up: pathPrefixes,
    contract: {
      floor: '0012_path_prefixes',
      why: 'forbids a slash at the end of a path, which builds before it write',
    },
  },
  '0013_access': { up: access },
  '0014_scopes': { up: scopes },
  '0015_fair_runs': { up: fairRuns },
  '0017_claim_ids': { up: claimIds },
  '0018_instance': { up: instance },
  '0019_versions': { up: versions },
  '0020_server_policy': { up: serverPolicy },
  '0021_session_mode': { up: sessionMode },
  '0023_githost': { up: githost },
  '0024_githost_repositories': { up: githostRepositories },
  '0025_githost_deliveries': { up: githostDeliveries },
  '0026_githost_push': { up: githostPush },
  '0027_githost_problems': { up: githostProblems },
  '0030_adoption': { up: adoption },
  '0031_plan': { up: plan },
  '0032_engine_of_release': { up: engineOfRelease },
  '0033_platform_address': { up: platformAddress },
  '0034_cli_sign_in': { up: cliSignIn },
  '0035_registries': { up: registries },
  '0036_list_indexes': { up: listIndexes },
  '0037_mail': { up: mail },
  '0038_organization_limits': { up: organizationLimits },
  '0039_sign_up': { up: signUp },
  '0040_cloud_link': { up: cloudLink },
  '0041_cloud_deployments': { up: cloudDeployments },
  '0042_instance_links': { up: instanceLinks },
  '0043_promotion': { up: promotion },
  '0044_relay': { up: relay },
  '0045_githost_broker': { up: githostBroker },
  '0046_deployment_facts': { up: deploymentFacts },
  '0047_cloud_organization': { up: cloudOrganization },
  '0048_relay_marks': { up: relayMarks },
  '0049_upload_bytes': {
    up: uploadBytes,
    contract: { floor: '0012_path_prefixes', why: 'has triggers count what any build writes, and refuses nothing' },
  },
  '0050_former_links': { up: formerLinks },
  '0052_due_indexes': { up: dueIndexes },
  '0054_names_of_organization': { up: namesOfOrganization },
  '0055_cloud_writes': { up: cloudWrites },
  '0056_audit_by_actor': { up: auditByActor },
}
