import { until } from '../../../test-kit/until.ts'
import type { Bench } from './bench.ts'
import { type Cancelled, cancelNow, type Refused } from './cancel-once.ts'
import { activeOf, deploy, prepare, TRIES, wrongEnd } from './crash-once.ts'
import { dryRun, type Kind, type Point, pointsOf } from './crash-points.ts'
import { stepsOf } from './run-rows.ts'

export const BAR_MS = 5000

/** One moment that was met: cancelled, or refused where a deployment is ending already. */
export type Tried = { name: string; wrong: string[]; done?: Cancelled }

/** Cancels at the start, in the middle and at the end of each step that a deployment of these kinds has, and of its undoing. */
export async function cancelAll(bench: Bench, kinds: Kind[]): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const kind of kinds) {
    await prepare(bench, kind)
    const { id } = await deploy(bench, kind)
    await bench.site.ended(id)
    const journal = await dryRun(bench, id)
    console.log(`  ${kind}: ${journal.map(({ name }) => name).join(', ')}`)
    const failing = journal
      .filter(({ name, ended }) => ended === null || name.startsWith('undo:'))
      .map(({ name }) => name)
    for (const point of pointsOf(kind, journal)) {
      const mayRefuse = failing.includes(point.step ?? '')
      tried.push(await cancelAt(bench, point, mayRefuse).catch(({ message }: Error) => tell(point, [message])))
    }
  }
  return tried
}

/** What is still said to be the release, and what visitors get. */
type Standing = { active: string | undefined; text: string }

async function cancelAt(bench: Bench, point: Point, mayRefuse: boolean): Promise<Tried> {
  const wrong: string[] = []
  for (let attempt = 1; ; attempt++) {
    await prepare(bench, point.kind)
    const before: Standing = { active: await activeOf(bench), text: await steadyText(bench) }
    const found = await strike(bench, point, mayRefuse)
    wrong.push(...found.wrong)
    if (!found.isLive) wrong.push(...(await notAsBefore(bench, before)))
    if (found.missed !== undefined && attempt < TRIES) continue
    return tell(
      point,
      found.missed === undefined ? wrong : [...wrong, `not in the moment: ${found.missed}`],
      found.done,
    )
  }
}

async function strike(bench: Bench, point: Point, mayRefuse: boolean): Promise<Judged & { isLive: boolean }> {
  const held = await point.before?.(bench)
  let letGo: Promise<void> | undefined
  const release = () => (letGo ??= held?.release() ?? Promise.resolve())
  try {
    const { id, project } = await deploy(bench, point.kind)
    const late = await point.at(bench, id, project, held).then(
      () => undefined,
      ({ message }: Error) => message,
    )
    const missed = late ?? point.wrong?.(await stepsOf(bench.pool, id))
    const done = await cancelNow(bench, id, project, release)
    const found = judge(done, missed, mayRefuse)
    if (!('refused' in done)) return { ...found, isLive: false }
    // What it is refused for goes on to its own end.
    const wrong = [...found.wrong, ...wrongEnd(done.refused, point.kind)]
    return { ...found, wrong, isLive: done.refused.status === 'ready' }
  } finally {
    await release()
  }
}

export type Judged = { wrong: string[]; missed: string | undefined; done: Cancelled | undefined }

export function judge(done: Cancelled | Refused, missed: string | undefined, mayRefuse: boolean): Judged {
  if ('refused' in done)
    return { wrong: [], missed: missed ?? (mayRefuse ? undefined : 'it was refused'), done: undefined }
  const wrong = [
    ...(done.status === 'cancelled' ? [] : [`it ended as ${done.status}`]),
    ...(done.ms > BAR_MS ? [`it took ${Math.round(done.ms)} ms`] : []),
  ]
  return { wrong, missed, done }
}

const IN_A_ROW = 8

/** What visitors get once they all get the same: the container of one that was cancelled may still answer while it is told to end. */
async function steadyText({ site }: Bench): Promise<string> {
  let last = ''
  let same = 0
  const isSteady = async () => {
    const { text } = await site.visit('steady')
    same = text === last ? same + 1 : 0
    last = text
    return same >= IN_A_ROW
  }
  await until('visitors all get the same', 20_000, isSteady, { everyMs: 100 })
  return last
}

async function notAsBefore(bench: Bench, before: Standing): Promise<string[]> {
  const active = await activeOf(bench)
  const serves = async () => (await bench.site.visit('steady').catch(() => undefined))?.text === before.text
  const back = await until('what served before serves', 20_000, serves, { everyMs: 200 }).catch(() => false)
  return [
    ...(back ? [] : [`visitors do not get ${before.text} again`]),
    ...(active === before.active ? [] : [`the active release is ${active}, not ${before.active}`]),
  ]
}

export function tell({ name }: { name: string }, wrong: string[], done?: Cancelled): Tried {
  console.log(`  ${name}: ${done ? `${done.status} after ${Math.round(done.ms)} ms` : 'refused'} ${wrong.join(', ')}`)
  return { name, wrong, ...(done && { done }) }
}
