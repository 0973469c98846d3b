import { firstRelease, type Lane } from '../stack/case.ts'
import { over, race, settledOrAsked } from '../stack/decision.ts'
import { changedSpecs, onEngine, wrongWorld } from '../stack/look.ts'
import { expected } from '../stack/model.ts'
import type { Bench } from './bench.ts'
import { cancelNow } from './cancel-once.ts'
import { type Judged, judge, type Tried, tell } from './cancel-points.ts'
import { TRIES } from './crash-once.ts'
import { dryRun, type Point, pointsOf } from './crash-points.ts'
import { KINDS, type StackKind, toItsEnd } from './crash-stack.ts'
import { stepsOf } from './run-rows.ts'

type StackPoint = Point<StackKind>

/** Cancels in each step of a stack's journal, and while it is put back because it was rejected: all is as before then. */
export async function cancelStack(bench: Bench): Promise<Tried[]> {
  const lane = await firstRelease(bench.site, 'stack')
  const tried: Tried[] = []
  for (const kind of ['stack rejected', 'stack'] as const) {
    const { id, story } = await toItsEnd(lane, kind)
    const wrong = await story
    if (wrong.length > 0) throw new Error(`without a cancel: ${wrong.join('; ')}`)
    const journal = await dryRun(bench, id)
    console.log(`  ${kind}: ${journal.map(({ name }) => name).join(', ')}`)
    // Services come up side by side: no end of a step is the start of a certain other one.
    const points = pointsOf(kind, journal).filter(
      ({ name, step = '' }) => !name.endsWith('has ended') && (kind === 'stack' || isOfRejecting(step)),
    )
    for (const point of points)
      tried.push(await cancelAt(bench, lane, point).catch(({ message }: Error) => tell(point, [message])))
  }
  return tried
}

/** What failed by itself was put back before anybody was asked. */
const isOfRejecting = (step: string) =>
  step.startsWith('undo:') && !Object.keys(KINDS['stack rejected']).some((name) => step === `undo:rollout:${name}`)

async function cancelAt(bench: Bench, lane: Lane, point: StackPoint): Promise<Tried> {
  const wrong: string[] = []
  for (let attempt = 1; ; attempt++) {
    const found = await strike(bench, lane, point)
    wrong.push(...found.wrong)
    if (found.missed !== undefined && attempt < TRIES) continue
    return tell(
      point,
      found.missed === undefined ? wrong : [...wrong, `not in the moment: ${found.missed}`],
      found.done,
    )
  }
}

async function strike(bench: Bench, lane: Lane, point: StackPoint): Promise<Judged> {
  const { stack } = lane
  const isUndoing = point.kind === 'stack rejected'
  const before = await onEngine(stack)
  const held = await point.before?.(bench)
  let letGo: Promise<void> | undefined
  const release = () => (letGo ??= held?.release() ?? Promise.resolve())
  try {
    const version = `v${++lane.versions}`
    const id = await stack.deploy({ version, faults: KINDS[point.kind] })
    if (isUndoing) {
      await settledOrAsked(stack.site, id)
      await race(stack, id, ['reject'])
    }
    const late = await point.at(bench, id, stack.project, held).then(
      () => undefined,
      ({ message }: Error) => message,
    )
    const missed = late ?? point.wrong?.(await stepsOf(bench.pool, id))
    const done = await cancelNow(bench, id, stack.project, release)
    const found = judge(done, missed, isUndoing)
    if (!('refused' in done)) await done.settled
    const { status } = await over(stack.site, id)
    if (status === 'ready') {
      lane.world = expected(lane.world, { version, deployment: id }, {}, stack.shape).world
      lane.active = id
      return found
    }
    const ended = status === (isUndoing ? 'rejected' : 'cancelled') ? [] : [`it ended as ${status}`]
    const world = await wrongWorld(stack, lane.world, true)
    return { ...found, wrong: [...found.wrong, ...ended, ...changedSpecs(before, await onEngine(stack)), ...world] }
  } finally {
    await release()
  }
}
