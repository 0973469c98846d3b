import { loadavg } from 'node:os'
import { chosen } from './ledger/sizes.ts'
import { stepsOf } from './parts/faults/run-rows.ts'
import { failed } from './parts/promote/failing.ts'
import { openScene, type Scene, type Subject } from './parts/promote/ground.ts'
import { judge, reset } from './parts/promote/judge.ts'
import { begin, over } from './parts/promote/moves.ts'
import { type Point, pointsOf, undoPointsOf } from './parts/promote/points.ts'
import { everythingSaid } from './parts/promote/secrets.ts'
import { type Blow, type Struck, strike } from './parts/promote/strike.ts'
import { dryCancel } from './parts/promote/way-back.ts'

export const claim =
  'a project is promoted to the cloud or is as it was, whoever dies in whichever step, and no secret of it is ever seen'
export const kind = 'story'
export const quick = false

/** Only cases whose name has this in it, while one works on them. */
const ONLY = chosen('SLIPWAY_PROMOTE_ONLY')

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const scene = await openScene()
  try {
    const struck: Struck[] = []
    for (const subject of scene.subjects) struck.push(...(await allOf(scene, subject)))
    for (const subject of scene.subjects) struck.push(tell(await failed(scene, subject)))
    const probed = await Promise.all(scene.probers.map((prober) => prober.stop()))
    const lost = probed.flatMap(({ failed: all }) => all)
    for (const one of lost.slice(0, 10)) console.log(`  LOST ${one}`)
    const secrets = await everythingSaid(scene)
    for (const one of secrets.found) console.log(`  SEEN ${one}`)
    const wrong = struck.flatMap((one) => one.wrong)
    const asked = probed.reduce((sum, one) => sum + one.asked, 0)
    const looks = struck.reduce((sum, one) => sum + one.looks, 0)
    return {
      ok: wrong.length === 0 && lost.length === 0 && secrets.found.length === 0,
      figure: [
        `${struck.length} promotions from upload and git, each struck in another moment of its steps or failing by itself: ${struck.filter((one) => one.wrong.length > 0).length} ended otherwise than promoted or untouched`,
        `${looks} looks at the target, never the cloud before it was ready there`,
        `releases here: ${lost.length} of ${asked} requests lost`,
        `${secrets.count} secrets, ${secrets.found.length} found in ${secrets.where}`,
        `load average ${loadavg()[0]?.toFixed(1)}`,
      ].join('; '),
    }
  } finally {
    await scene.close()
  }
}

const KILLS: Blow[] = ['the instance is killed', 'the cloud is killed']
const CANCELS: Blow[] = ['it is cancelled and the instance is killed', 'it is cancelled and the cloud is killed']

/** Which blows a point gets: each side dies in each; one cancels everywhere, and in the middle of steps somebody dies as well. */
function blowsAt({ source }: Subject, { moment }: Point): Blow[] {
  if (source === 'git') return moment === 'begins' ? [...KILLS, 'it is cancelled'] : KILLS
  return [...KILLS, 'it is cancelled', ...(moment === 'is in the middle' ? CANCELS : [])]
}

async function allOf(scene: Scene, subject: Subject): Promise<Struck[]> {
  // The first leaves contents at the cloud that are not sent again: the steps of the second are those of all that follow.
  await dryRun(scene, subject)
  const { steps, calls } = await dryRun(scene, subject)
  console.log(`  ${subject.source}: ${told(steps, calls)}`)
  const cases = pointsOf(steps, calls).flatMap((point) => blowsAt(subject, point).map((blow) => ({ point, blow })))
  if (subject.source === 'upload') cases.push(...(await casesBack(scene, subject)))
  const struck: Struck[] = []
  for (const { point, blow } of cases) {
    if (ONLY !== undefined && !`${subject.source}: ${blow} as ${point.step} ${point.moment}`.includes(ONLY)) continue
    struck.push(tell(await strike(scene, subject, point, blow)))
  }
  return struck
}

/** Of a cancel: whoever undoes dies in each moment of it, the cloud in what it is asked for. */
async function casesBack(scene: Scene, subject: Subject): Promise<{ point: Point; blow: Blow }[]> {
  const { steps, calls } = await dryCancel(scene, subject)
  console.log(`  back again: ${told(steps, calls)}`)
  return undoPointsOf(steps, calls).flatMap((point) => [
    { point, blow: 'it was cancelled and the instance is killed' as const },
    ...(point.moment === 'is in the middle'
      ? [{ point, blow: 'it was cancelled and the cloud is killed' as const }]
      : []),
  ])
}

const told = (steps: string[], calls: Map<string, number>) =>
  steps.map((step) => `${step} (${calls.get(step) ?? 0} calls)`).join(', ')

/** Without any blow: what the steps are, and how often each calls the cloud. */
async function dryRun(scene: Scene, subject: Subject) {
  await reset(scene, subject)
  scene.way.counted()
  const id = await begin(scene, subject)
  await over(scene, subject)
  const calls = scene.way.counted()
  const steps = (await stepsOf(scene.pool, id)).map(({ name }) => name)
  const wrong = await judge(scene, subject, id, ['promoted'])
  if (wrong.length > 0) throw new Error(`without any blow: ${wrong.join('; ')}`)
  return { steps, calls }
}

function tell(struck: Struck): Struck {
  console.log(
    `  ${struck.wrong.length === 0 ? 'right' : 'WRONG'} ${(struck.ms / 1000).toFixed(0).padStart(3)} s  ${struck.name}`,
  )
  for (const one of struck.wrong) console.log(`               ${one}`)
  return struck
}
