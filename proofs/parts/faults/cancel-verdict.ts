import type { Bench } from './bench.ts'
import type { Tried } from './cancel-points.ts'

/** What came of all of them, once each had the time to go; visitors of the old release were there all the while. */
export async function verdict(
  bench: Bench,
  tried: Tried[],
  more: string[] = [],
): Promise<{ ok: boolean; figure: string }> {
  const cancelled = tried.flatMap(({ name, done }) => (done ? [{ name, ...done }] : []))
  const left = await Promise.all(
    cancelled.map(async ({ name, left, settled }) => ({ name, settled: await settled, ...(await left) })),
  )
  const probed = await bench.prober.stop()
  const wrong = [
    ...tried.flatMap(({ name, wrong }) => wrong.map((what) => `${name}: ${what}`)),
    ...left.flatMap(({ name, things }) => things.map((what) => `${name}: ${what} is left`)),
    ...left.filter(({ settled }) => settled.includes('deploying')).map(({ name }) => `${name}: it was never settled`),
    ...probed.failed.map((what) => `a visitor at ${what}`),
    ...more,
  ]
  for (const what of wrong) console.log(`  WRONG ${what}`)
  const times = cancelled.map(({ ms }) => ms)
  const figure = [
    `${tried.length} moments, of which ${cancelled.length} were cancelled after ${seconds(median(times))} s (median), ${seconds(Math.max(...times))} s (slowest; bar 5 s), and the others were ending already`,
    `nothing left after ${seconds(Math.max(...left.map(({ ms }) => ms)))} s at most`,
    `${probed.failed.length} of ${probed.asked} requests to the old release failed`,
    `${wrong.length} things wrong`,
  ]
  return { ok: cancelled.length > 0 && wrong.length === 0, figure: figure.join('; ') }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
