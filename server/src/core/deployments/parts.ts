import type { Builder } from '../../drivers/builder/builder.ts'
import type { Edge } from '../../drivers/edge/edge.ts'
import type { Git } from '../../drivers/git/git.ts'
import type { EngineTarget } from '../../drivers/runtime/engine.ts'
import type { SourceTree } from '../build/source-tree.ts'
import type { Platform } from '../platform.ts'

/** What a process that runs deployments has beyond one that only answers. */
export type DeployParts = Platform & {
  builder: Builder
  git: Git
  edge: Edge<EngineTarget>
  /** Makes a directory equal to a tree, touching only what differs. */
  syncContext(directory: string, tree: SourceTree, signal: AbortSignal): Promise<unknown>
  /** The network of the edge, and under which name it looks for a service there. */
  edgeNetwork: { name: string; alias(project: string, service: string): string }
}

/** What the build step leaves to the ones after it. */
export type BuiltImage = { name: string; id: string; port: number | null }
