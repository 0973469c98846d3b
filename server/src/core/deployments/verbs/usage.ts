import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { partOf } from '../rows/release.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { engineFor } from './info.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>

/** What this deployment's containers use now. */
export async function showUsage(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const usage = await parts.runtime.usage(
    await engineFor(parts, deployment),
    { project: deployment.projectId },
    { signal },
  )
  const isOf = partOf(parts, deployment)
  return { data: usage.filter((one) => isOf(one.service, one.deployment)) }
}
