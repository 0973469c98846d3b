import type { Deployment } from '@slipway/contract/deployment-shape'
import { isOver } from '../../../test-kit/deployment.ts'
import { until } from '../../../test-kit/until.ts'
import type { Bench } from './bench.ts'
import { filesOf, type Kind, type Point } from './crash-points.ts'
import { tasksOf } from './left-behind.ts'
import { type Pair, takeover } from './pair.ts'
import { type StepRow, stepsOf } from './run-rows.ts'
import { followSpec } from './spec-trail.ts'

export type Crashed = {
  name: string
  takeoverMs: number | null
  wrong: string[]
  /** What the deployment left and should not have, once all has been seen to. */
  left: Promise<string[]>
}

/**
 * What happens to the owner at that point; it answers when somebody else has the run, or it is over. `struck`: it has
 * happened, and what was held for it can go.
 */
export type Blow = (pair: Pair, id: string, struck: () => Promise<void>) => Promise<number | null>

export const TRIES = 4
const LEFT_MS = 150_000

/** Kills the owner with -9, and starts another process in its place. */
export const kill: Blow = async (pair, id, struck) => {
  const { owner, fence } = await pair.ownerOf(id)
  const since = performance.now()
  owner.child.kill('SIGKILL')
  await struck()
  const [ms] = await Promise.all([takeover(pair, id, fence, since), pair.complete()])
  return ms
}

/** One deployment with a blow at that point; another one if the moment had passed, but the first must end right as well. */
export async function crashAt(pair: Pair, point: Point, blow: Blow = kill): Promise<Crashed> {
  const wrong: string[] = []
  for (let attempt = 1; ; attempt++) {
    const found = await tryAt(pair, point, blow)
    if (found === undefined && attempt < TRIES) continue
    if (found === undefined) throw new Error('the moment never came')
    wrong.push(...found.wrong)
    if (found.missed === undefined) return { ...found, wrong }
    if (attempt === TRIES) return { ...found, wrong: [...wrong, `not in the moment: ${found.missed}`] }
  }
}

type Tried = Crashed & { missed: string | undefined }

async function tryAt(pair: Pair, point: Point, blow: Blow): Promise<Tried | undefined> {
  await prepare(pair, point.kind)
  const before = await activeOf(pair)
  const held = await point.before?.(pair)
  let letGo: Promise<void> | undefined
  const struck = () => {
    letGo ??= held?.release() ?? Promise.resolve()
    return letGo
  }
  try {
    const { id, project } = await deploy(pair, point.kind)
    const trail = followSpec(pair.socket, project)
    try {
      await point.at(pair, id, project, held)
    } catch {
      await trail.stop()
      await struck()
      await pair.site.ended(id)
      return undefined
    }
    const journal = await stepsOf(pair.pool, id)
    const missed = point.wrong?.(journal)
    const takeoverMs = await blow(pair, id, struck)
    await struck()
    const seen = await until(`${id} is over`, 120_000, async () => {
      const now = await pair.site.show(id).catch(() => undefined)
      return now && isOver(now) ? now : undefined
    })
    const wrong = [
      ...wrongEnd(seen, point.kind),
      ...repeated(journal, await stepsOf(pair.pool, id)),
      ...rollouts(await trail.stop(), id, point.kind),
      ...(await doubled(pair, id, project, seen)),
    ]
    const after = await activeOf(pair)
    const expected = seen.status === 'ready' ? id : before
    if (project === pair.steady && after !== expected) wrong.push(`the active release is ${after}, not ${expected}`)
    const left = seen.status === 'ready' ? Promise.resolve([]) : untilNothing(pair, id, project)
    return { name: point.name, takeoverMs, wrong, left, missed }
  } finally {
    await struck()
  }
}

/** A second rollout of the same release has containers of its own. */
async function doubled({ socket }: Pair, id: string, project: string, { status }: Deployment): Promise<string[]> {
  if (status !== 'ready') return []
  const tasks = (await tasksOf(socket, project)).filter(({ deployment }) => deployment === id)
  return tasks.length === 1 ? [] : [`it has had ${tasks.length} containers`]
}

/** One can only go back to what is not there already. */
export async function prepare({ site, steady }: Bench, kind: Kind): Promise<void> {
  if (kind === 'rollback') await site.ended(await site.deploy(steady, filesOf.good()))
}

export async function deploy({ site, steady, release }: Bench, kind: Kind): Promise<{ id: string; project: string }> {
  if (kind === 'rollback') {
    const { deployment_id: id } = await site.ask('POST', `/api/deployments/${release()}/rollback`)
    return { id, project: steady }
  }
  const project = kind === 'crashing at first' ? await site.project(`first ${performance.now()}`) : steady
  return { id: await site.deploy(project, filesOf[kind]()), project }
}

export async function activeOf({ site, steady }: Bench): Promise<string | undefined> {
  const { data } = await site.ask<{ data: Deployment[] }>('GET', `/api/deployments?projectId=${steady}&limit=100`)
  return data.find(({ active }) => active)?.id
}

const ENDS: Record<Kind, { status: string; codes: (string | undefined)[] }> = {
  good: { status: 'ready', codes: [undefined] },
  rollback: { status: 'ready', codes: [undefined] },
  crashing: { status: 'failed', codes: ['crashed', 'unstable'] },
  'crashing at first': { status: 'failed', codes: ['crashed', 'unstable'] },
  'broken build': { status: 'failed', codes: ['build_failed'] },
}

export function wrongEnd({ status, error }: Deployment, kind: Kind): string[] {
  const { status: wanted, codes } = ENDS[kind]
  return status === wanted && codes.includes(error?.code) ? [] : [`it ended as ${status} ${JSON.stringify(error)}`]
}

/** What had ended before the blow must not have run again. */
export function repeated(before: StepRow[], after: StepRow[]): string[] {
  const changed = before
    .filter(({ ended }) => ended !== null)
    .filter((step) => {
      const now = after.find(({ name }) => name === step.name)
      return now?.started !== step.started || now.ended !== step.ended || now.fence !== step.fence
    })
  return changed.map(({ name }) => `${name} had ended and ran again`)
}

function rollouts(trail: string[], id: string, kind: Kind): string[] {
  const count = trail.filter((one) => one === id).length
  const wanted = kind === 'broken build' ? 0 : 1
  return count === wanted ? [] : [`it was rolled out ${count} times, not ${wanted}`]
}

async function untilNothing({ left }: Pair, id: string, project: string): Promise<string[]> {
  let things: string[] = []
  const look = async () => {
    things = await left(id, project)
    return things.length === 0
  }
  await until('nothing is left', LEFT_MS, look).catch(() => {})
  return things
}
