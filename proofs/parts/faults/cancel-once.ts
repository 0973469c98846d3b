import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@slipway/contract/deployment-shape'
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

/** It is ending already, or has ended: what it ended as. */
export type Refused = { refused: Deployment }

/** The write of a held step keeps the cancel waiting as well. */
const UNDER_WAY_MS = 250

/**
 * Cancels a deployment now and waits for its end. Meanwhile, and for a while after it, what it made goes. One that has ended is not
 * cancelled any more, and says so. `struck`: the cancel is under way, and what was held for it can go.
 */
export async function cancelNow(
  bench: Bench,
  id: string,
  project: string,
  struck: () => Promise<void> = async () => {},
): Promise<Cancelled | Refused> {
  const { site } = bench
  const asked = site.call('POST', `/api/deployments/${id}/cancel`)
  await Promise.race([asked, sleep(UNDER_WAY_MS)])
  await struck()
  const answer = await asked
  const accepted = performance.now()
  if (answer.status === 400) return { refused: await site.ended(id) }
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
