import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { Builder } from '../../drivers/builder/builder.ts'
import type { ProjectFolders } from '../../drivers/builder/project-folders.ts'
import type { Git, GitCredential } from '../../drivers/git/git.ts'
import type { SourceTree } from '../../source/build/source-tree.ts'
import type { Instance } from '../instance/guard.ts'
import type { BaseParts } from '../parts.ts'
import type { ProjectRow } from '../projects/store.ts'
import type { LiveRedactors } from './events/live-redactors.ts'
import type { Redactors } from './events/redact/redactors.ts'

/** What a process that runs deployments has beyond one that only answers. */
export type DeployParts = BaseParts & {
  instance: Instance
  redactors: Redactors
  liveRedactors: LiveRedactors
  builder: Builder
  git: Git
  /** What a connected git host reads the repository of a project with; null: nothing. */
  hostCredential(project: ProjectRow, repository: string, signal: AbortSignal): Promise<GitCredential | null>
  /** Resolves the branch of a run; what is found is where the branch is, for everybody. */
  followHead<T extends { commitSha: string }>(
    running: { project: ProjectRow; deploymentId: string; branch: string | null },
    resolve: () => Promise<T>,
  ): Promise<T>
  /** Makes a directory equal to a tree, touching only what differs. */
  syncContext(directory: string, tree: SourceTree, signal: AbortSignal): Promise<unknown>
  folders: ProjectFolders
  /** Under which name a project's gateway looks for a service. */
  edgeAlias(project: string, service: string): string
  /** What the engine calls a volume of a project, and the one that holds what is mounted from its source. */
  volumeName(project: string, key: string): string
  filesVolume(project: string): string
}

/** What the build step leaves to the ones after it. */
export type BuiltImage = {
  name: string
  id: string
  port: number | null
  /** From a Dockerfile of ours: its health check is for those who run it elsewhere. */
  generated?: boolean
}

/** What the release step leaves: the release, sealed, what may be shown of it, and the engine that it is for. */
export type Frozen = { sealed: string; images: string[]; services: DeploymentService[]; engineId?: string | null }
