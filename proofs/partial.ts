import type { Pool } from 'pg'
import type { Site } from '../test-kit/site.ts'
import { chosen, isFull } from './ledger/sizes.ts'
import { type Begun, begin, firstRelease, type Lane, noTally, runCase, type Tally } from './parts/stack/case.ts'
import { type Planned, sampled, subsetsBothWays } from './parts/stack/cases.ts'
import { FIRSTS, runFirst } from './parts/stack/firsts.ts'
import { openGround } from './parts/stack/ground.ts'
import { killDuring, MOMENTS, type Moment } from './parts/stack/kills.ts'
import type { Shape } from './parts/stack/stack.ts'

export const claim =
  'when any part of a stack fails at any stage, states, versions and traffic are as the tables say, whoever decides and whoever dies'
export const kind = 'story'
export const quick = false

/** Projects side by side: they mostly wait. */
const LANES = 5
const SUBSETS = 63
const TRIES = 3
/** SLIPWAY_PARTIAL_SEED draws other samples; SLIPWAY_PARTIAL_CASES leaves all but the first out, while one works on it. */
const SEED = Number(chosen('SLIPWAY_PARTIAL_SEED') ?? 4)
const MOST = Number(chosen('SLIPWAY_PARTIAL_CASES') ?? Number.POSITIVE_INFINITY)

/** Kinds of cases of which some are kept and some rejected; what does not build is never asked about. */
const BOTH_WAYS = ['start', 'health', 'job', 'mixed', 'first']
const SHAPES = ['chains', 'flat'] as const
/** While working on it; the claim is about both. */
const isWanted = (shape: Shape) => (chosen('SLIPWAY_PARTIAL_SHAPES') ?? SHAPES.join()).split(',').includes(shape)

type Job = { name: string; run(lane: Lane): Promise<string[]> }
type Book = {
  faults: number
  /** Of each shape: the subsets that went right, by the ways in which they ended. */
  starts: Record<Shape, Map<string, Set<string>>>
  sampled: number
  firsts: number
  kept: Record<string, Tally>
  kills: number
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const began = performance.now()
  const site = await openGround('partial', 2)
  try {
    const pool = site.database?.pool
    if (!pool) throw new Error('no database of its own')
    const starts = { chains: new Map(), flat: new Map() }
    const book: Book = { faults: 0, starts, sampled: 0, firsts: 0, kept: {}, kills: 0 }
    const others = sampled(SEED)
    if (isWanted('chains')) await inChains(site, pool, others, book)
    if (isWanted('flat')) {
      const flat = subsetsBothWays('flat').map((one) => caseJob(one, book))
      await runAll(await openLanes(site, 'flat'), flat.slice(0, MOST), book)
    }
    return told(book, others.length, performance.now() - began)
  } finally {
    await site.close()
  }
}

async function inChains(site: Site, pool: Pool, others: Planned[], book: Book): Promise<void> {
  const lanes = await openLanes(site, 'chains')
  const jobs = [...firstJobs(site, book), ...[...subsetsBothWays('chains'), ...others].map((one) => caseJob(one, book))]
  await runAll(lanes, jobs.slice(0, MOST), book)
  await killAll(lanes, pool, book)
}

async function openLanes(site: Site, shape: Shape): Promise<Lane[]> {
  const numbers = Array.from({ length: LANES }, (_, place) => place + 1)
  const lanes = await Promise.all(numbers.map((number) => firstRelease(site, `${shape}${number}`, shape)))
  console.log(`  ${LANES} projects of six services are up, ${shape} (seed ${SEED})`)
  return lanes
}

const tallyOf = ({ kept }: Book, kind: string): Tally => (kept[kind] ??= noTally())

const caseJob = (one: Planned, book: Book): Job => ({
  name: `${one.kind}, ${one.shape}: ${one.name}`,
  run: async (lane) => {
    const tally = tallyOf(book, one.kind)
    const wrong = await runCase(lane, one, tally)
    if (wrong.length > 0) return wrong
    if (one.kind !== 'start') book.sampled++
    else waysOf(book, one).add(one.choices.length === 0 ? 'over' : (one.choices[0] ?? ''))
    return wrong
  },
})

function waysOf({ starts }: Book, { shape, name }: Planned): Set<string> {
  const ways = starts[shape].get(name) ?? new Set()
  starts[shape].set(name, ways)
  return ways
}

const firstJobs = (site: Site, book: Book) =>
  FIRSTS.map(
    ({ name, cases }, place): Job => ({
      name: `a first deployment: ${name}`,
      run: async () => {
        const wrong = await runFirst(site, `first${place + 1}`, cases, tallyOf(book, 'first'))
        if (wrong.length === 0) book.firsts++
        return wrong
      },
    }),
  )

/** Each lane takes the next when it is free; each is told as it ends. */
async function runAll(lanes: Lane[], jobs: Job[], book: Book): Promise<void> {
  const queue = [...jobs]
  const work = async (lane: Lane) => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const began = performance.now()
      const wrong = await job.run(lane).catch((error: Error) => [`it broke: ${error.stack?.slice(0, 1000)}`])
      const took = ((performance.now() - began) / 1000).toFixed(0)
      console.log(`  ${wrong.length === 0 ? 'right' : 'WRONG'}  ${job.name} (${took} s)`)
      for (const what of wrong) console.log(`         ${what.slice(0, 1000)}`)
      book.faults += wrong.length
    }
  }
  await Promise.all(lanes.map(work))
}

/** Some moments last milliseconds only: one that had passed is waited for again. */
async function killAll(lanes: Lane[], pool: Pool, book: Book): Promise<void> {
  let open = MOMENTS
  for (let tries = 0; open.length > 0 && tries < TRIES; tries++) {
    const missed: Moment[] = []
    for (let first = 0; first < open.length; first += LANES)
      missed.push(...(await killRound(lanes, open.slice(first, first + LANES), pool, book)))
    open = missed
  }
}

/** All of them wait for a decision; then the deciding and the killing comes to one after the other. */
async function killRound(lanes: Lane[], moments: Moment[], pool: Pool, book: Book): Promise<Moment[]> {
  const missed: Moment[] = []
  const begun = moments.map(({ faults }, place) => begin(lanes[place] as Lane, faults))
  await Promise.allSettled(begun)
  for (const [place, moment] of moments.entries()) {
    const name = `killed during ${moment.choice}, ${moment.name}`
    const run = async (lane: Lane) => {
      const { hit, wrong } = await killDuring(lane, await (begun[place] as Promise<Begun>), moment, pool)
      if (hit) book.kills++
      else missed.push(moment)
      return wrong
    }
    await runAll(lanes.slice(place, place + 1), [{ name, run }], book)
  }
  for (const { choice, name } of missed) console.log(`  the moment had passed: killed during ${choice}, ${name}`)
  return missed
}

function told(book: Book, samples: number, ms: number): { ok: boolean; figure: string } {
  const tallies = Object.values(book.kept)
  const sum = (of: keyof Tally) => tallies.reduce((all, one) => all + one[of], 0)
  const bothWays = BOTH_WAYS.filter((kind) => {
    const { keep = 0, reject = 0 } = book.kept[kind] ?? {}
    return keep > 0 && reject > 0
  })
  const kinds = `keep ${sum('keep')}, reject ${sum('reject')} (both ways for ${bothWays.join(', ')})`
  const races = `${sum('races')} races for the decision with one winner each, ${sum('waited')} deployments that waited for one`
  const kills = `${book.kills} of ${MOMENTS.length} kills -9 in the middle of one`
  const whole = SHAPES.map((shape) => wholeOf(book.starts[shape]))
  const starts = SHAPES.map((shape, n) => `${whole[n]} of ${SUBSETS} subsets of ${shape}`).join(' and ')
  const figure = `${starts} failing at the start, each kept and rejected, ${book.sampled} of ${samples} sampled of health, job, build and mixed, ${book.firsts} of ${FIRSTS.length} first deployments; ${kinds}; ${sum('failed')} failed whole; ${races}; ${kills}; ${book.faults} faults; ${(ms / 60_000).toFixed(0)} min`
  const all = whole.every((count) => count === SUBSETS) && book.sampled === samples && book.firsts === FIRSTS.length
  const complete = all && bothWays.length === BOTH_WAYS.length && book.kills === MOMENTS.length
  // Of what was left out nothing can be said, and nothing is: it prints PARTIAL.
  return { ok: book.faults === 0 && (complete || !isFull()), figure }
}

/** How many subsets went every way there is: over at once, or once kept and once rejected. */
const wholeOf = (starts: Map<string, Set<string>>) =>
  [...starts.values()].filter((ways) => ways.has('over') || (ways.has('keep') && ways.has('reject'))).length
