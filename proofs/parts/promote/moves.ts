import { until } from '../../../test-kit/until.ts'
import { filesOf, type Scene, type Subject } from './ground.ts'
import type { Promotion } from './judge.ts'
import type { Held, Point } from './points.ts'

const MET_MS = 120_000
const OVER_MS = 240_000
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

/** False: what is as good as done cannot be cancelled any more, and says so. */
export async function cancelled({ own }: Scene, id: string, { moment }: Point, held: Held): Promise<boolean> {
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

export async function met(held: Held, otherwise: string): Promise<void> {
  let late: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, fail) => {
    late = setTimeout(() => fail(new Error(otherwise)), MET_MS)
  })
  await Promise.race([held.met(), deadline]).finally(() => clearTimeout(late))
}
