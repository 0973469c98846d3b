import type { TaskUsage } from '../../drivers/runtime/running/usage.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { requireServer } from './find.ts'
import { openEngineTarget } from './open-engine-target.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>
type Used = {
  projectId: string
  containers: number
  cores: number
  memoryBytes: number
  networkRxBytes: number
  networkTxBytes: number
}

/** What each project of the caller's organization uses on a server now, the largest first. */
export async function showServerUsage(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const engine = openEngineTarget(parts, await requireServer(parts.db, caller, id))
  const tasks = await parts.runtime.usage(engine, { org: caller.orgId }, { signal })
  const byProject = Map.groupBy(tasks, ({ project }) => project)
  const data = [...byProject].map(([projectId, own]) => sumOf(projectId, own))
  return { data: data.sort((a, b) => b.memoryBytes - a.memoryBytes) }
}

function sumOf(projectId: string, tasks: TaskUsage[]): Used {
  const sum = (of: (task: TaskUsage) => number) => tasks.reduce((total, task) => total + of(task), 0)
  return {
    projectId,
    containers: tasks.length,
    cores: Math.round(sum(({ cores }) => cores) * 1000) / 1000,
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    networkRxBytes: sum(({ networkRxBytes }) => networkRxBytes),
    networkTxBytes: sum(({ networkTxBytes }) => networkTxBytes),
  }
}
