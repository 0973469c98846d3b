import type { RunningServer } from '../../../test-kit/built-server.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { filesOf, type Scene, type Subject } from './ground.ts'
import { judge, type Promotion, reset, watchTarget } from './judge.ts'
import { type Held, holdAt, missed, nameOf, type Point } from './points.ts'

const BLOWS = {
  'the instance is killed': { kills: 'own', cancels: false },
  'the cloud is killed': { kills: 'cloud', cancels: false },
  'it is cancelled': { kills: null, cancels: true },
  'it is cancelled and the instance is killed': { kills: 'own', cancels: true },
  'it is cancelled and the cloud is killed': { kills: 'cloud', cancels: true },
} as const
export type Blow = keyof typeof BLOWS
export type Struck = { name: string; wrong: string[]; looks: number; ms: number }

const MET_MS = 120_000
const OVER_MS = 240_000
const TRIES = 3
/** Long enough for a request to come as far as it gets. */
const ASKED_MS = 500

let version = 1

/** Begins a promotion of something that was never built before. */
export async function begin({ own, git, watch }: Scene, subject: Subject, then?: string): Promise<string> {
  watch(subject)
  version++
  const body = { projectId: subject.id, deployTarget: 'cloud' }
  if (subject.source === 'git') git.plant(version, then)
  const upload = subject.source === 'git' ? {} : { uploadSessionId: (await own.upload(filesOf(version, then))).id }
  return (await own.ask('POST', '/api/deployments/build/access', { ...body, ...upload })).deployment_id
}

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
  const held = await holdAt(scene, point)
  let id = ''
  const { cancels, kills } = BLOWS[blow]
  let wanted = cancels ? ['cancelled'] : ['promoted']
  let aside: string | undefined
  try {
    id = await begin(scene, subject)
    begun(id)
    await within(held.met(), `${nameOf(point)}: it never came to that`)
    aside = await missed(scene, id, point)
    if (cancels && !(await cancelled(scene, id, point, held))) wanted = ['promoted']
    if (kills !== null) await killAll(scene[kills])
  } finally {
    await held.release()
  }
  if (kills === 'own') await scene.own.start()
  if (kills === 'cloud') await startCloud(scene)
  await over(scene, subject)
  return { wrong: await judge(scene, subject, id, wanted), aside }
}

/** False: what is as good as done cannot be cancelled any more, and says so. */
async function cancelled({ own }: Scene, id: string, { moment }: Point, held: Held): Promise<boolean> {
  const asked = own.call('POST', `/api/deployments/${id}/cancel`)
  if (moment !== 'is in the middle') {
    // The run's row is held by whoever writes the step: the answer comes when that goes on.
    await new Promise((done) => setTimeout(done, ASKED_MS))
    await held.release()
  }
  const answer = await asked
  if (answer.status < 300) return true
  if (answer.body.code === 'not_now') return false
  throw new Error(`cancel: ${answer.text}`)
}

export const over = ({ own }: Scene, { id }: Subject): Promise<Promotion> =>
  until('the promotion is over', OVER_MS, async () => {
    const answer = await own.call<Promotion>('GET', `/api/projects/${id}/promotion`).catch(() => undefined)
    return answer?.status === 200 && answer.body.state !== 'running' && answer.body
  })

const lives = ({ child }: RunningServer) => child.exitCode === null && child.signalCode === null

async function killAll({ replicas }: Site): Promise<void> {
  await Promise.all(replicas.filter(lives).map((replica) => replica.stop('SIGKILL')))
}

async function startCloud({ cloud, way }: Scene): Promise<void> {
  await cloud.start({ role: 'worker' })
  await cloud.start({ role: 'api' })
  way.to(cloud.base())
}

async function within(waited: Promise<void>, otherwise: string): Promise<void> {
  let late: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, fail) => {
    late = setTimeout(() => fail(new Error(otherwise)), MET_MS)
  })
  await Promise.race([waited, deadline]).finally(() => clearTimeout(late))
}
