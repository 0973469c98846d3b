import type { Deployment } from '@slipway/contract/deployment-shape'
import { until } from './until.ts'

const ENDED = new Set(['ready', 'failed', 'cancelled', 'partial_failure', 'rejected', 'superseded'])
export const isOver = (deployment: Pick<Deployment, 'status'>) => ENDED.has(deployment.status)

type Wait<Seen> = {
  /** Undefined while nobody answers. */
  show(): Promise<Seen | undefined>
  wanted(seen: Seen): boolean
  seconds: number
  everyMs: number
}

/** Looks at a deployment until it is as wanted; fails at once when it has ended otherwise. */
export async function untilDeployment<Seen extends Pick<Deployment, 'status'> & { timing: { finishedAt: unknown } }>({
  show,
  wanted,
  seconds,
  everyMs,
}: Wait<Seen>): Promise<Seen> {
  let last: Seen | undefined
  const look = async () => {
    const seen = await show()
    if (seen === undefined) return
    last = seen
    if (wanted(seen)) return seen
    if (isOver(seen) && seen.timing.finishedAt !== null) throw new Error('it ended otherwise')
  }
  return until('the deployment comes to that', seconds * 1000, look, { everyMs }).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last)}`)
  })
}
