import { until } from '../../../test-kit/until.ts'
import { begin, conclude, end, firstRelease, type Lane } from '../stack/case.ts'
import { race } from '../stack/decision.ts'
import type { Faults } from '../stack/model.ts'
import { RUNNING, SERVICES } from '../stack/stack.ts'
import { type Crashed, kill, repeated, TRIES } from './crash-once.ts'
import { tell, tooLate } from './crash-parts.ts'
import { dryRun, type Point, pointsOf } from './crash-points.ts'
import { isServing, tasksOf } from './left-behind.ts'
import type { Pair } from './pair.ts'
import { startProber } from './prober.ts'
import { type StepRow, stepsOf } from './run-rows.ts'

/** All of its services come up; or two do not, and what came up is undone because it is rejected. */
export const KINDS: Record<'stack' | 'stack rejected', Faults> = {
  stack: {},
  'stack rejected': { web: 'start', cache: 'start' },
}
export type StackKind = keyof typeof KINDS
type StackPoint = Point<StackKind>

/** As for one service: the owner is killed at the start and in the middle of each step that the journal shows. */
export async function killStack(pair: Pair, kind: StackKind): Promise<Crashed[]> {
  const lane = await firstRelease(pair.site, 'stack')
  // It has no volume, so that its old version goes on until the new one is there.
  const at = { address: pair.site.engine.address, port: pair.site.httpPort, host: lane.stack.hostOf('api') }
  const prober = startProber(at)
  const done: Crashed[] = []
  const journal = await journalOf(pair, lane, kind)
  console.log(`  ${kind}: ${journal.map((step) => step.name).join(', ')}`)
  // Services come up side by side: no end of a step is the start of a certain other one.
  const points = pointsOf(kind, journal).filter(({ name }) => !name.endsWith('has ended'))
  for (const point of points) done.push(await struck(pair, lane, point).catch((error) => broken(pair, point, error)))
  const { asked, failed } = await prober.stop()
  if (failed.length > 0)
    done[0]?.wrong.push(`${failed.length} of ${asked} visitors of the stack got nothing: ${failed[0]}`)
  if (lane.active !== null) await pair.site.ask('DELETE', `/api/deployments/${lane.active}?force=true`)
  await pair.site.ask('DELETE', `/api/projects/${lane.stack.project}`)
  return done
}

/** What was found before is worth as much as before. */
async function broken(pair: Pair, { name }: StackPoint, { message }: Error): Promise<Crashed> {
  await pair.complete()
  const found = { name, takeoverMs: null, wrong: [message], left: Promise.resolve([]) }
  tell(found)
  return found
}

async function journalOf(pair: Pair, lane: Lane, kind: StackKind): Promise<StepRow[]> {
  const { id, story } = await toItsEnd(lane, kind)
  const wrong = await story
  if (wrong.length > 0) throw new Error(`without a blow: ${wrong.join('; ')}`)
  return dryRun(pair, id)
}

/** A deployment of that kind from its beginning to what becomes of it, and what was not as it should be. */
export async function toItsEnd(lane: Lane, kind: StackKind): Promise<{ id: string; story: Promise<string[]> }> {
  const accepted = Promise.withResolvers<string>()
  const story = (async () => {
    const begun = await begin(lane, KINDS[kind], accepted.resolve)
    if (begun.wanted.decision !== 'pending') return end(lane, begun)
    const decision = await race(lane.stack, begun.id, ['reject'])
    return [...begun.wrong, ...decision.wrong, ...(await conclude(lane, begun, decision))]
  })()
  story.catch(accepted.reject)
  return { id: await accepted.promise, story }
}

async function struck(pair: Pair, lane: Lane, point: StackPoint): Promise<Crashed> {
  const wrong: string[] = []
  for (let attempt = 1; ; attempt++) {
    const found = await strike(pair, lane, point)
    wrong.push(...found.wrong)
    if (found.missed !== undefined && attempt < TRIES) continue
    if (found.missed !== undefined) wrong.push(`not in the moment: ${found.missed}`)
    wrong.push(...tooLate(found))
    tell({ name: point.name, takeoverMs: found.takeoverMs, wrong })
    return { name: point.name, takeoverMs: found.takeoverMs, wrong, left: Promise.resolve([]) }
  }
}

async function strike(pair: Pair, lane: Lane, point: StackPoint) {
  const held = await point.before?.(pair)
  let letGo: Promise<void> | undefined
  const release = () => (letGo ??= held?.release() ?? Promise.resolve())
  try {
    const { id, story } = await toItsEnd(lane, point.kind)
    // Heard below; it may break before anybody listens.
    story.catch(() => {})
    const missed = await point.at(pair, id, lane.stack.project, held).then(
      () => undefined,
      (error: Error) => error.message,
    )
    const journal = await stepsOf(pair.pool, id)
    const elsewhere = missed ?? point.wrong?.(journal)
    const takeoverMs = missed === undefined ? await kill(pair, id, release) : null
    await release()
    const wrong = await story.catch((error: Error) => [`it broke: ${error.message}`])
    const again = repeated(journal, await stepsOf(pair.pool, id))
    return { takeoverMs, missed: elsewhere, wrong: [...wrong, ...again, ...(await twice(pair, lane, point.kind, id))] }
  } finally {
    await release()
    await pair.complete()
  }
}

/** What came up had one container, the job one run, and the volume one writer after the other. */
async function twice({ socket }: Pair, { stack, versions }: Lane, kind: StackKind, id: string): Promise<string[]> {
  if (kind !== 'stack') return []
  const tasks = (await tasksOf(socket, stack.project)).filter(({ deployment }) => deployment === id)
  const serving = tasks.filter(isServing)
  const { text } = await until('the volume is shown', 20_000, async () => {
    const got = await stack.visit('db', '/data/starts')
    return got.status === 200 && got
  })
  const starts = text.split('\n').filter((line) => line === `db v${versions}`)
  return [
    ...(tasks.length === SERVICES.length ? [] : [`${tasks.length} containers of ${SERVICES.length} services`]),
    ...(serving.length === RUNNING.length ? [] : [`${serving.length} serve`]),
    ...(starts.length === 1 ? [] : [`the one with the volume was started ${starts.length} times`]),
  ]
}
