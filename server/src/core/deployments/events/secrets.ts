import type { Queryable } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { secretsOf } from '../../projects/git-credential.ts'
import type { ProjectRow } from '../../projects/store.ts'
import type { PlainVariable } from '../../projects/variables.ts'
import { loginsOf } from '../../registries/logins.ts'
import { loadAdopted } from '../rows/adopted-store.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'

type Parts = Pick<BaseParts, 'keys'> & { db: Queryable }
type Deployment = Pick<store.DeploymentRow, 'orgId' | 'projectId' | 'request'>

/**
 * Every value that must not be seen in what a deployment prints: the project's variables, git credential and passwords of registries as
 * they are now, those of services that were adopted, and the values that are frozen in the releases it may bring back.
 */
export async function secretsOfRun(
  parts: Parts,
  { project, deployment, variables }: { project: ProjectRow; deployment: Deployment; variables: PlainVariable[] },
): Promise<string[]> {
  const { rollbackOf } = deployment.request
  const releases = [
    await store.findActive(parts.db, deployment.projectId),
    ...(rollbackOf === undefined ? [] : [await store.load(parts.db, deployment.orgId, rollbackOf)]),
  ]
  const adopted = await loadAdopted(parts.db, parts, project)
  return [
    ...variables.map(({ value }) => value),
    ...adopted.flatMap(({ plan }) => Object.values(plan.compose.environment)),
    ...secretsOf(parts, project),
    ...(await loginsOf(parts, { orgId: project.orgId, projectId: project.id })).secrets(),
    ...frozenSecrets(parts, releases),
  ]
}

/** The values that are frozen in the releases of these: environments, and what lies in secret files. */
export const frozenSecrets = (
  parts: Pick<BaseParts, 'keys'>,
  rows: ({ id: string; release: string | null } | undefined)[],
): string[] =>
  rows
    .flatMap((row) => releaseOf(parts, row).services)
    .flatMap(({ environment, files = [] }) => [...Object.values(environment), ...files.flatMap(secretText)])

/** What lies in a secret file, as it would be printed. */
const secretText = ({ kind, content }: { kind: string; content: string }) =>
  kind === 'secret' ? [Buffer.from(content, 'base64').toString('utf8').trim()] : []
