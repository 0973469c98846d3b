import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { partOf } from '../rows/release.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import type { DeploymentRow } from '../rows/store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>

/** The engine that a deployment is on. */
export const engineFor = async (parts: Parts, deployment: DeploymentRow) =>
  openEngineTarget(parts, await servers.load(parts.db, deployment.orgId, deployment.serverId))

/** What the engine says about this deployment's containers now. */
export async function showInfo(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const tasks = await parts.runtime.tasks(await engineFor(parts, deployment), deployment.projectId, { signal })
  const isOf = partOf(parts, deployment)
  return { data: tasks.filter((task) => isOf(task.service, task.deployment)) }
}
