import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import type { Feeds } from './feed.ts'

/** The events of a deployment after a number, as they appear; null when it has ended and there are no more. */
export async function followEvents(
  { db, feeds }: Pick<BaseParts, 'db'> & { feeds: Feeds },
  caller: Caller,
  id: string,
  since: number,
) {
  const deployment = await requireDeployment(db, caller, id)
  const newest = Number(deployment.nextSeq)
  if (deployment.finishedAt !== null && since >= newest) return null
  // Who claims to have seen what has not happened would wait for ever.
  return (signal: AbortSignal) => feeds.follow(id, Math.min(since, newest), signal)
}
