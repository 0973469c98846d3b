import { openSite } from '../../../test-kit/site.ts'
import { chosen } from '../../ledger/sizes.ts'
import type { Crashed } from './crash-once.ts'
import { installHolds } from './hold.ts'
import { orphans } from './orphans.ts'
import { openPair, type Pair } from './pair.ts'

const TAKEOVER_MS = 15_000

/** What one part of a proof found. */
export type Found = { crashed: Crashed[]; wrong: string[]; asked: number; failed: number }

/** Runs the parts, so many at once, and says what came of all of them. */
export function prover(how: string, lanes: number, all: Record<string, () => Promise<Found>>) {
  return async (): Promise<{ ok: boolean; figure: string }> => {
    // A part of this name alone, while one works on it.
    const only = chosen('SLIPWAY_CRASH_PART')
    const left = Object.entries(all)
      .filter(([name]) => only === undefined || name === only)
      .values()
    // Each clears up behind itself, whatever becomes of the others.
    const parts: Found[] = []
    const lane = async () => {
      for (const [name, run] of left) parts.push(await judged(name, run().catch(nothing)))
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return verdict(how, parts)
  }
}

function verdict(how: string, parts: Found[]): { ok: boolean; figure: string } {
  const crashed = parts.flatMap((part) => part.crashed)
  const right = crashed.filter((one) => one.wrong.length === 0).length
  const wrong = parts.flatMap((part) => part.wrong)
  const times = crashed.flatMap(({ takeoverMs }) => (takeoverMs === null ? [] : [takeoverMs]))
  const asked = parts.reduce((sum, part) => sum + part.asked, 0)
  const failed = parts.reduce((sum, part) => sum + part.failed, 0)
  const took = `takeover after ${seconds(median(times))} s (median), ${seconds(Math.max(...times))} s (slowest; bar ${seconds(TAKEOVER_MS)} s)`
  const figure = `${crashed.length} blows (${how}): ${right} ended right; ${took}; ${failed} of ${asked} requests to the old release failed; ${wrong.length} things wrong`
  return { ok: crashed.length > 0 && wrong.length === 0 && failed === 0, figure }
}

/** A part with all that is wrong in it, told as it ends: others may go on for an hour. */
async function judged(name: string, running: Promise<Found>): Promise<Found> {
  const part = await running
  const left = await Promise.all(part.crashed.map(async ({ name, left }) => ({ name, things: await left })))
  const wrong = [
    ...part.crashed.flatMap((one) => one.wrong.map((what) => `${one.name}: ${what}`)),
    ...left.flatMap(({ name, things }) => things.map((what) => `${name}: ${what} is left`)),
    ...part.wrong,
  ]
  for (const what of wrong) console.log(`  WRONG ${what}`)
  console.log(
    `  part ${name}: ${part.crashed.length} blows, ${wrong.length} things wrong, ${part.failed} of ${part.asked} requests failed`,
  )
  return { ...part, wrong }
}

const nothing = (error: Error): Found => ({ crashed: [], wrong: [error.message], asked: 0, failed: 0 })

/** Two processes, a release that is asked for all the time, and at the end a look for whatever has no owner. */
export async function onPair(name: string, slot: number, work: (pair: Pair) => Promise<Crashed[]>): Promise<Found> {
  const site = await openSite({ name, slot })
  try {
    const pair = await openPair(site)
    await installHolds(pair.pool)
    return await withProber(pair, work)
  } finally {
    await site.close()
  }
}

export async function withProber(pair: Pair, work: (pair: Pair) => Promise<Crashed[]>): Promise<Found> {
  const crashed = await work(pair)
  const { asked, failed } = await pair.prober.stop()
  for (const what of failed.slice(0, 20)) console.log(`  WRONG a visitor at ${what}`)
  await Promise.all(crashed.map(({ left }) => left))
  const wrong = (await orphans(pair)).map((what) => `orphaned: ${what}`)
  return { crashed, wrong, asked, failed: failed.length }
}

type Taken = Pick<Crashed, 'takeoverMs'>

export const tooLate = ({ takeoverMs }: Taken): string[] =>
  takeoverMs !== null && takeoverMs > TAKEOVER_MS ? [`taken over only after ${Math.round(takeoverMs)} ms`] : []

/** A line for each blow, as it is over. */
export function tell({ name, takeoverMs, wrong }: Pick<Crashed, 'name' | 'takeoverMs' | 'wrong'>): void {
  const how = takeoverMs === null ? 'no takeover' : `taken over after ${seconds(takeoverMs)} s`
  console.log(`  ${name}: ${how} ${wrong.join(', ')}`)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
