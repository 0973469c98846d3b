import { join } from 'node:path'
import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import { isFailure } from '../../../errors.ts'
import type { SourceTree } from '../../../source/build/source-tree.ts'
import { openCredential } from '../../projects/git-credential.ts'
import { gitOrigin } from '../../projects/git-origin.ts'
import { openTree } from '../../uploads/tree.ts'
import { type DeployContext, theOnly } from '../deploy-context.ts'
import { DeployFailure } from '../rows/failure.ts'
import * as store from '../rows/store.ts'

/** The project's own credential first; else what the organization's git host is connected with. */
async function gitSource(
  { parts, project }: Pick<DeployContext, 'parts' | 'project'>,
  { repo = '', branch }: DeploymentSource,
  signal: AbortSignal,
) {
  const credential = openCredential(parts, project, repo) ?? (await parts.hostCredential(project, repo, signal))
  if (credential === null && gitOrigin(repo)?.startsWith('ssh:')) {
    throw new DeployFailure({
      code: 'git_auth_failed',
      message: 'The repository is reached over SSH, and the project has no deploy key for its host.',
      hint: `${GIVE_ONE} with kind "key" and the host keys that ssh-keyscan prints.`,
    })
  }
  return { url: repo, branch: branch === undefined || branch === 'HEAD' ? null : branch, credential }
}

const GIVE_ONE = 'Send gitCredential to PATCH /api/projects/:id'

/** The driver cannot know that there is nothing to check yet. */
function withHint(error: unknown, { credential }: Awaited<ReturnType<typeof gitSource>>): never {
  if (!isFailure(error, 'git', 'git_auth_failed') || credential !== null) throw error
  const hint = `The repository is private, or there is none. ${GIVE_ONE} with kind "token".`
  throw new DeployFailure({ code: 'git_auth_failed', message: error.message, hint }, { cause: error })
}

/** Pins what is deployed. A branch becomes a commit here, once. */
export async function pinSource(context: DeployContext, signal: AbortSignal): Promise<DeploymentSource> {
  const { parts, deployment } = context
  const { source } = deployment
  if (source.kind !== 'git') return source
  const { useCommit, rollbackOf } = deployment.request
  // Of an old release whose image is gone, exactly that commit is built again.
  if (rollbackOf !== undefined && source.commitSha !== undefined) return source
  if (useCommit !== undefined) return { ...source, commitSha: useCommit }
  const asked = await gitSource(context, source, signal)
  const running = { project: context.project, deploymentId: deployment.id, branch: asked.branch }
  const found = await parts.followHead(running, () =>
    parts.git.resolve(asked, signal).catch((error) => withHint(error, asked)),
  )
  await refuseDeployed(context, found.commitSha)
  const { commitSha, branch, message } = found
  return { ...source, commitSha, commitMessage: message, ...(branch !== null && { branch }) }
}

/** A push asks for a commit to be deployed: where that has been done, nothing is left to do. */
async function refuseDeployed(
  { parts, deployment }: Pick<DeployContext, 'parts' | 'deployment'>,
  commit: string,
): Promise<void> {
  if (deployment.trigger !== 'push') return
  const active = await store.findActive(parts.db, deployment.projectId)
  if (active?.source.commitSha !== commit) return
  throw new DeployFailure({ code: 'superseded', message: 'This commit is the active release already.', hint: null })
}

/** The files of the pinned source. A commit is fetched into a directory of the project that later ones share. */
export async function openSource(
  context: DeployContext,
  source: DeploymentSource,
  signal: AbortSignal,
): Promise<SourceTree> {
  const { parts, deployment, events } = context
  if (source.kind === 'upload') return openTree(parts, deployment.orgId, source.uploadSessionId ?? '')
  const directory = join(parts.config.dataDir, 'repositories', deployment.projectId)
  const commit = source.commitSha ?? ''
  const asked = await gitSource(context, source, signal)
  const { warnings } = await parts.git.fetch(asked, commit, directory, signal).catch((error) => withHint(error, asked))
  // It is opened once per service, and said once.
  for (const line of warnings)
    events.writeOnce(line, { service: theOnly(context), step: 'source', stream: 'stderr', line })
  return parts.git.tree(directory, commit, signal)
}
