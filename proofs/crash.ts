import { openDatabase } from '../server/src/db/database.ts'
import { privatePostgres } from '../test-kit/private-postgres.ts'
import { openSite } from '../test-kit/site.ts'
import { killBoth, outage, oversleep, pause } from './parts/faults/crash-blows.ts'
import { type Blow, type Crashed, crashAt, deploy, prepare } from './parts/faults/crash-once.ts'
import { type Found, onPair, prover, tell, tooLate, withProber } from './parts/faults/crash-parts.ts'
import { dryRun, type Kind, POINTS, type Point, pointsOf } from './parts/faults/crash-points.ts'
import { restartedEngine } from './parts/faults/engine-restart.ts'
import { openPair, type Pair } from './parts/faults/pair.ts'

export const claim =
  'a deployment survives the death of its owner at any moment, and ends as it would have; the old release never stops answering'
export const kind = 'story'
export const quick = false

/** More at once, and it is the machine that is late. */
const LANES = 3

const how =
  'kills with -9 at the start, in the middle and at the end of every step of the journal; the rest stops, outages, both killed, and 8 restarts of the engine'
export const prove = prover(how, LANES, {
  bad: () => onPair('crashb', 1, (pair) => killAll(pair, ['crashing', 'crashing at first', 'rollback'])),
  good: () => onPair('crasha', 0, (pair) => killAll(pair, ['good', 'broken build'])),
  others: () => others(),
})

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
  found.wrong.push(...tooLate(found))
  tell(found)
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
        for (const name of ['in the middle of a RUN', 'as the new version goes live']) {
          const { blow, same } = outage(postgres)
          const found = await once(pair, point(name), blow)
          found.wrong.push(...(await same(pair)))
          done.push(await named(`PostgreSQL away ${name}`, Promise.resolve(found)))
        }
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
