import { isOver } from '../../../test-kit/deployment.ts'
import { until } from '../../../test-kit/until.ts'
import type { Bench } from './bench.ts'

export type Cancelled = {
  /** The step that was running when the cancel was accepted, or `none`: queued, or at a gate. */
  during: string
  status: string
  /** From the 202 to the end. */
  ms: number
  services: string[]
  /** How the services are when all has been seen to. */
  settled: Promise<string[]>
  /** What was there in the end and should not have been, and how long it took until nothing was. */
  left: Promise<{ things: string[]; ms: number }>
}

/** For containers that are told to end, and for an image, which goes when its last container has. */
const LEFT_MS = 150_000

/**
 * Cancels a deployment now and waits for its end. Meanwhile, and for a while after it, what it made goes. One that has ended is not
 * cancelled any more, and says so: then it is live.
 */
export async function cancelNow(bench: Bench, id: string, project: string): Promise<Cancelled | 'too late'> {
  const { site } = bench
  const answer = await site.call('POST', `/api/deployments/${id}/cancel`)
  const accepted = performance.now()
  if (answer.status === 400 && (await site.ended(id)).status === 'ready') return 'too late'
  if (answer.status !== 202) throw new Error(`The cancel was answered with ${answer.status}: ${answer.text}`)
  const { steps } = answer.body.deployment as { steps: { name: string; status: string }[] }
  const seen = await until(`${id} is over`, 30_000, async () => {
    const now = await site.show(id).catch(() => undefined)
    return now && isOver(now) ? now : undefined
  })
  return {
    during: steps.findLast(({ status }) => status === 'running')?.name ?? 'none',
    status: seen.status,
    ms: performance.now() - accepted,
    services: seen.services.map(({ status }) => status),
    settled: untilSettled(bench, id),
    left: untilNothing(bench, id, project, accepted),
  }
}

/** A service that could not be put back in time is still `deploying` when its deployment has ended, and then no more. */
async function untilSettled({ site }: Bench, id: string): Promise<string[]> {
  let states: string[] = []
  const look = async () => {
    states = (await site.show(id)).services.map(({ status }) => status)
    return !states.includes('deploying')
  }
  await until('its services are settled', LEFT_MS, look).catch(() => {})
  return states
}

async function untilNothing({ left }: Bench, id: string, project: string, since: number) {
  let things: string[] = []
  const look = async () => {
    things = await left(id, project)
    return things.length === 0
  }
  await until('nothing is left', LEFT_MS, look).catch(() => {})
  return { things, ms: performance.now() - since }
}
