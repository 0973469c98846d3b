import type { Site } from '../../../test-kit/site.ts'
import { over, race, refused, settledOrAsked, wrongImages, wrongTable } from './decision.ts'
import { newStack, type Stack } from './ground.ts'
import { changedSpecs, type OnEngine, onEngine, wrongWords, wrongWorld } from './look.ts'
import { type Choice, decided, type Expected, expected, type Faults, type World } from './model.ts'
import type { Shape } from './stack.ts'

/** A project with what is known to run of it. */
export type Lane = { stack: Stack; world: World; active: string | null; versions: number }

export type Case = {
  name: string
  faults: Faults
  /** All at once, where there is something to decide. */
  choices: Choice[]
  /** Another deployment is asked for while the decision is awaited. */
  followed?: boolean
}

export type Tally = { keep: number; reject: number; races: number; failed: number; ready: number; waited: number }
export const noTally = (): Tally => ({ keep: 0, reject: 0, races: 0, failed: 0, ready: 0, waited: 0 })

/** Deploys it to the lane, looks at all there is to see, decides, and looks again. What is wrong is told in words. */
export async function runCase(lane: Lane, one: Case, tally: Tally): Promise<string[]> {
  const begun = await begin(lane, one.faults)
  const { id, wanted, wrong } = begun
  if (wanted.decision !== 'pending') {
    if (wanted.status === 'ready') tally.ready++
    else tally.failed++
    return end(lane, begun)
  }
  const next = one.followed ? await lane.stack.deploy({ version: nextVersion(lane) }) : undefined
  if (lane.active) wrong.push(...(await refused(lane.stack.site, lane.active)))
  if (next) wrong.push(...(await waits(lane, next)))
  const decision = await race(lane.stack, id, one.choices)
  if (one.choices.length > 1) tally.races++
  tally[decision.choice]++
  wrong.push(...decision.wrong, ...(await conclude(lane, begun, decision)))
  if (next) {
    tally.waited++
    wrong.push(...(await follow(lane, next)))
  }
  return wrong
}

/** A project with all six up. */
export async function firstRelease(site: Site, called: string, shape: Shape = 'chains'): Promise<Lane> {
  const lane: Lane = { stack: await newStack(site, called, shape), world: {}, active: null, versions: 0 }
  const wrong = await runCase(lane, { name: 'the first release', faults: {}, choices: [] }, noTally())
  if (wrong.length > 0) throw new Error(`the first release is not as it should be: ${wrong.join('; ')}`)
  return lane
}

export type Begun = {
  id: string
  wanted: Expected
  before: Record<string, OnEngine>
  wrong: string[]
}

/** A deployment up to its end or to the question what to do with it. */
export async function begin(lane: Lane, faults: Faults, accepted: (id: string) => void = () => {}): Promise<Begun> {
  const { stack, world } = lane
  const before = await onEngine(stack)
  const version = nextVersion(lane)
  const id = await stack.deploy({ version, faults })
  accepted(id)
  const wanted = expected(world, { version, deployment: id }, faults, stack.shape)
  const seen = await settledOrAsked(stack.site, id)
  const wrong = wrongWords(seen, wanted)
  // Without a release before it no name leads anywhere until there is one.
  const traffic = lane.active !== null || wanted.active
  wrong.push(...(await wrongWorld(stack, wanted.world, traffic)).map((what) => `at first: ${what}`))
  return { id, wanted, before, wrong }
}

/** Where there is nothing to decide. */
export async function end(lane: Lane, { id, wanted, before, wrong }: Begun): Promise<string[]> {
  const late = await refused(lane.stack.site, id)
  return [
    ...wrong,
    ...late,
    ...unchanged(wanted, before, await onEngine(lane.stack)),
    ...(await settle(lane, id, wanted)),
  ]
}

type Decision = { choice: Choice; table: Parameters<typeof wrongTable>[0] }

/** After a decision: the end, and what runs then. */
export async function conclude(lane: Lane, { id, wanted, before }: Begun, { choice, table }: Decision) {
  const { stack, world } = lane
  const final = decided(world, wanted, choice)
  const wrong = wrongTable(table, { ran: world, runs: wanted.world, willRun: final.world })
  const seen = await over(stack.site, id)
  wrong.push(...wrongWords(seen, final), ...(await refused(stack.site, id)))
  wrong.push(...(await settle(lane, id, final)), ...(await wrongImages(stack, table, 'willRun')))
  if (choice === 'reject') wrong.push(...unchanged(final, before, await onEngine(stack)))
  return wrong.map((what) => `after ${choice}: ${what}`)
}

/** What runs in the end, from where the next one begins. */
async function settle(lane: Lane, id: string, wanted: Expected): Promise<string[]> {
  lane.world = wanted.world
  if (wanted.active) lane.active = id
  return wrongWorld(lane.stack, wanted.world, lane.active !== null)
}

/** What came to nothing left everything as it was, the job's last run aside. */
function unchanged(wanted: Expected, before: Record<string, OnEngine>, after: Record<string, OnEngine>): string[] {
  return wanted.active ? [] : changedSpecs(before, after)
}

/** Nothing begins while a decision is awaited. */
async function waits({ stack }: Lane, next: string): Promise<string[]> {
  const { status } = await stack.site.show(next)
  return status === 'queued' ? [] : [`the next one is ${status} while a decision is awaited`]
}

async function follow(lane: Lane, next: string): Promise<string[]> {
  const version = `v${lane.versions}`
  const wanted = expected(lane.world, { version, deployment: next }, {}, lane.stack.shape)
  const seen = await over(lane.stack.site, next, 300)
  return [...wrongWords(seen, wanted), ...(await settle(lane, next, wanted))].map((what) => `the next one: ${what}`)
}

function nextVersion(lane: Lane): string {
  lane.versions++
  return `v${lane.versions}`
}
