import { join } from 'node:path'
import type { DeploymentSource } from '@slipway/contract/deployments'
import type { SourceTree } from '../build/source-tree.ts'
import { openTree } from '../uploads/tree.ts'
import type { Scene } from './scene.ts'

const gitSource = ({ repo, branch }: DeploymentSource) => ({
  url: repo ?? '',
  branch: branch === undefined || branch === 'HEAD' ? null : branch,
  credential: null,
})

/** Pins what is deployed. A branch becomes a commit here, once. */
export async function findSource(scene: Scene, signal: AbortSignal): Promise<DeploymentSource> {
  const { parts, deployment } = scene
  const { source } = deployment
  if (source.kind !== 'git') return source
  const { useCommit } = deployment.request
  if (useCommit !== undefined) return { ...source, commitSha: useCommit }
  const { commitSha, branch, message } = await parts.git.resolve(gitSource(source), signal)
  return { ...source, commitSha, commitMessage: message, ...(branch !== null && { branch }) }
}

/** The files of the pinned source. A commit is fetched into a directory of the project that later ones share. */
export async function openSource(scene: Scene, source: DeploymentSource, signal: AbortSignal): Promise<SourceTree> {
  const { parts, deployment, events, service } = scene
  if (source.kind === 'upload') return openTree(parts, deployment.orgId, source.uploadSessionId ?? '')
  const directory = join(parts.config.dataDir, 'repositories', deployment.projectId)
  const commit = source.commitSha ?? ''
  const { warnings } = await parts.git.fetch(gitSource(source), commit, directory, signal)
  for (const line of warnings) events.write('log', { service, step: 'source', stream: 'stderr', line })
  return parts.git.tree(directory, commit, signal)
}
