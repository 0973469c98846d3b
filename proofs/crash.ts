import { openDatabase } from '../server/src/db/database.ts'
import { privatePostgres } from '../test-kit/private-postgres.ts'
import { openSite } from '../test-kit/site.ts'
import { chosen } from './ledger/sizes.ts'
import { killBoth, outage, oversleep, pause } from './parts/faults/crash-blows.ts'
import { type Blow, type Crashed, crashAt, deploy, prepare } from './parts/faults/crash-once.ts'
import { dryRun, type Kind, POINTS, type Point, pointsOf } from './parts/faults/crash-points.ts'
import { killStack } from './parts/faults/crash-stack.ts'
import { restartedEngine } from './parts/faults/engine-restart.ts'
import { installHolds } from './parts/faults/hold.ts'
import { orphans } from './parts/faults/orphans.ts'
import { openPair, type Pair } from './parts/faults/pair.ts'

export const claim =
  'a deployment survives the death of its owner at any moment, and ends as it would have; the old release never stops answering'
export const quick = false

const TAKEOVER_MS = 15_000
/** Parts at once: with more of them it is the machine that is late. */
const LANES = 4

/** What one part of the proof found. */
type Found = { crashed: Crashed[]; wrong: string[]; asked: number; failed: number }

const PARTS: Record<string, () => Promise<Found>> = {
  good: () => onPair('crasha', 0, (pair) => killAll(pair, ['good', 'broken build'])),
  bad: () => onPair('crashb', 1, (pair) => killAll(pair, ['crashing', 'crashing at first', 'rollback'])),
  stack: () => onPair('crashs', 4, (pair) => killStack(pair, 'stack')),
  others: () => others(),
  rejected: () => onPair('crasht', 5, (pair) => killStack(pair, 'stack rejected')),
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  // A part of this name alone, while one works on it.
  const only = chosen('SLIPWAY_CRASH_PART')
  const chosenParts = Object.entries(PARTS).filter(([name]) => only === undefined || name === only)
  // Each clears up behind itself, whatever becomes of the others.
  const parts: Found[] = []
  const left = chosenParts.values()
  const lane = async () => {
    for (const [name, run] of left) parts.push(await judged(name, run().catch(nothing)))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const crashed = parts.flatMap((part) => part.crashed)
  const wrong = parts.flatMap((part) => part.wrong)
  const times = crashed.flatMap(({ takeoverMs }) => (takeoverMs === null ? [] : [takeoverMs]))
  const asked = parts.reduce((sum, part) => sum + part.asked, 0)
  const failed = parts.reduce((sum, part) => sum + part.failed, 0)
  const figure = `${crashed.length} blows (kills with -9 at the start, in the middle and at the end of every step of the journal; the rest stops, outages, both killed) and 8 engine restarts: ${crashed.filter((one) => one.wrong.length === 0).length} ended right; takeover after ${seconds(median(times))} s (median), ${seconds(Math.max(...times))} s (slowest; bar 15 s); ${failed} of ${asked} requests to the old release failed; ${wrong.length} things wrong`
  return { ok: wrong.length === 0 && failed === 0, figure }
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
async function onPair(name: string, slot: number, work: (pair: Pair) => Promise<Crashed[]>): Promise<Found> {
  const site = await openSite({ name, slot })
  try {
    const pair = await openPair(site)
    await installHolds(pair.pool)
    return await withProber(pair, work)
  } finally {
    await site.close()
  }
}

async function withProber(pair: Pair, work: (pair: Pair) => Promise<Crashed[]>): Promise<Found> {
  const crashed = await work(pair)
  const { asked, failed } = await pair.prober.stop()
  for (const what of failed.slice(0, 20)) console.log(`  WRONG a visitor at ${what}`)
  await Promise.all(crashed.map(({ left }) => left))
  const wrong = (await orphans(pair)).map((what) => `orphaned: ${what}`)
  return { crashed, wrong, asked, failed: failed.length }
}

/** At the start, in the middle and at the end of each step that a deployment of that kind has; then inside of steps. */
async function killAll(pair: Pair, kinds: Kind[]): Promise<Crashed[]> {
  const points: Point[] = []
  for (const kind of kinds) {
    await prepare(pair, kind)
    const { id } = await deploy(pair, kind)
    await pair.site.ended(id)
    const journal = await dryRun(pair, id)
    console.log(`  ${kind}: ${journal.map(({ name }) => name).join(', ')}`)
    points.push(...pointsOf(kind, journal), ...POINTS.filter((point) => point.kind === kind))
  }
  const done: Crashed[] = []
  for (const point of points) done.push(await once(pair, point))
  return done
}

async function once(pair: Pair, point: Point, blow?: Blow): Promise<Crashed> {
  const found = await crashAt(pair, point, blow).catch(async (error: Error): Promise<Crashed> => {
    await pair.complete()
    return { name: point.name, takeoverMs: null, wrong: [error.message], left: Promise.resolve([]) }
  })
  const { takeoverMs, wrong } = found
  if (takeoverMs !== null && takeoverMs > TAKEOVER_MS) wrong.push(`taken over only after ${Math.round(takeoverMs)} ms`)
  const how = takeoverMs === null ? 'no takeover' : `taken over after ${seconds(takeoverMs)} s`
  console.log(`  ${found.name}: ${how} ${wrong.join(', ')}`)
  return found
}

/** Everything but a kill: one after the other, on pairs of their own. */
async function others(): Promise<Found> {
  const paused = await onPair('crashc', 2, pauses)
  const out = await databaseOutage()
  const wrong = await restartedEngine((line) => console.log(`  ${line}`))
  return {
    crashed: [...paused.crashed, ...out.crashed],
    wrong: [...paused.wrong, ...out.wrong, ...wrong],
    asked: paused.asked + out.asked,
    failed: paused.failed + out.failed,
  }
}

const point = (name: string): Point => {
  const found = POINTS.find((one) => one.name === name)
  if (!found) throw new Error(`There is no point ${name}.`)
  return found
}

async function pauses(pair: Pair): Promise<Crashed[]> {
  const done: Crashed[] = []
  const names = ['in the middle of a RUN', 'as rollout starts', 'as the new version goes live']
  for (const name of names) done.push(await named(`stopped and resumed ${name}`, once(pair, point(name), pause)))
  for (const name of [
    'in the middle of a RUN',
    'as the new container boots',
    'a crashing app, as undoing the rollout starts',
  ]) {
    const { blow, wake } = oversleep()
    let id = ''
    const found = await once(pair, point(name), (at, run, struck) => {
      id = run
      return blow(at, run, struck)
    })
    found.wrong.push(...(await wake(pair, id)))
    done.push(await named(`stopped for all of it ${name}`, Promise.resolve(found)))
  }
  for (const name of ['in the middle of a RUN', 'as the new version goes live']) {
    done.push(await named(`both killed ${name}`, once(pair, point(name), killBoth)))
  }
  return done
}

const named = async (name: string, found: Promise<Crashed>): Promise<Crashed> => ({ ...(await found), name })

async function databaseOutage(): Promise<Found> {
  const postgres = await privatePostgres()
  await postgres.start()
  const { pool, close } = openDatabase({ url: postgres.url, connections: 4, onError: () => {} })
  try {
    const site = await openSite({ name: 'crashd', slot: 2, databaseUrl: postgres.url })
    try {
      const pair = await openPair(site, pool)
      return await withProber(pair, async () => {
        const done: Crashed[] = []
        for (const name of ['in the middle of a RUN', 'as the new version goes live'])
          done.push(await named(`PostgreSQL away ${name}`, once(pair, point(name), outage(postgres))))
        return done
      })
    } finally {
      await site.close()
    }
  } finally {
    await close()
    await postgres.remove()
  }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
