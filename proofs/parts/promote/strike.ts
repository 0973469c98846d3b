import type { RunningServer } from '../../../test-kit/built-server.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { Scene, Subject } from './ground.ts'
import { judge, reset, watchTarget } from './judge.ts'
import { begin, cancelled, met, over } from './moves.ts'
import { holdAt, missed, nameOf, type Point } from './points.ts'
import { heldNow } from './secrets.ts'
import { IN_AWAIT, onItsWayBack } from './way-back.ts'

const BLOWS = {
  'the instance is killed': { kills: 'own', cancels: null },
  'the cloud is killed': { kills: 'cloud', cancels: null },
  'it is cancelled': { kills: null, cancels: 'then' },
  'it is cancelled and the instance is killed': { kills: 'own', cancels: 'then' },
  'it is cancelled and the cloud is killed': { kills: 'cloud', cancels: 'then' },
  'it was cancelled and the instance is killed': { kills: 'own', cancels: 'before' },
  'it was cancelled and the cloud is killed': { kills: 'cloud', cancels: 'before' },
} as const
export type Blow = keyof typeof BLOWS
export type Struck = { name: string; wrong: string[]; looks: number; ms: number }

const TRIES = 3

/** One promotion that is struck at that point, from a project that is here alone to its end. */
export async function strike(scene: Scene, subject: Subject, point: Point, blow: Blow): Promise<Struck> {
  const name = `${subject.source}: ${blow} as ${nameOf(point)}`
  const began = performance.now()
  const done = (wrong: string[], looks = 0) => ({ name, wrong, looks, ms: performance.now() - began })
  for (let n = 1; ; n++) {
    const tried = await tryAt(scene, subject, point, blow).catch((error: Error) => ({
      wrong: [error.message],
      looks: 0,
      missed: undefined,
    }))
    if (tried.wrong.length > 0 || tried.missed === undefined) return done(tried.wrong, tried.looks)
    if (n === TRIES) return done([`not in the moment: ${tried.missed}`])
  }
}

async function tryAt(scene: Scene, subject: Subject, point: Point, blow: Blow) {
  await reset(scene, subject)
  let id = ''
  const begun = (made: string) => {
    id = made
  }
  const watcher = watchTarget(scene, subject, () => id)
  try {
    const { wrong, aside } = await struckAt(scene, subject, { point, blow, begun })
    const { looks, wrong: seen } = await watcher.stop()
    return { wrong: [...wrong, ...seen], looks, missed: aside }
  } finally {
    await watcher.stop()
  }
}

type Case = { point: Point; blow: Blow; begun(id: string): void }

async function struckAt(scene: Scene, subject: Subject, { point, blow, begun }: Case) {
  const { cancels, kills } = BLOWS[blow]
  const isBack = cancels === 'before'
  let held = await holdAt(scene, isBack ? IN_AWAIT : point)
  let wanted = cancels ? ['cancelled'] : ['promoted']
  let aside: string | undefined
  const wrong: string[] = []
  let id = ''
  try {
    id = await begin(scene, subject)
    begun(id)
    await met(held, `${nameOf(point)}: it never came to that`)
    if (isBack) held = await onItsWayBack(scene, id, point, held)
    aside = await missed(scene, id, point)
    if (cancels === 'then' && !(await cancelled(scene, id, point, held))) wanted = ['promoted']
    if (kills !== null) await killAll(scene[kills])
    wrong.push(...(await heldNow(scene)))
  } finally {
    await held.release()
  }
  if (kills === 'own') await scene.own.start()
  if (kills === 'cloud') await startCloud(scene)
  await over(scene, subject)
  wrong.push(...(await judge(scene, subject, id, wanted, kills === 'cloud')))
  return { wrong, aside }
}

const lives = ({ child }: RunningServer) => child.exitCode === null && child.signalCode === null

async function killAll({ replicas }: Site): Promise<void> {
  await Promise.all(replicas.filter(lives).map((replica) => replica.stop('SIGKILL')))
}

async function startCloud({ cloud, way }: Scene): Promise<void> {
  await cloud.start({ role: 'worker' })
  await cloud.start({ role: 'api' })
  way.to(cloud.base())
}
