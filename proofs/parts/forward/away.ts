import { freePort } from '../../../test-kit/free-port.ts'
import type { LoadProcess } from '../load.ts'
import { type Ground, leadTo } from './ground.ts'
import { median, portOf } from './speed.ts'
import { askFor, unwellClouds } from './unwell.ts'

const AWAY_MS = 1000
const ROUNDS = 9

/** The cloud stopped, then clouds that are not well: what is here is as fast as before. */
export async function withoutCloud(ground: Ground, load: LoadProcess, id: string) {
  const { cloud, own } = ground
  const ratio = await localRates(ground, load, id)
  await cloud.replicas.at(-1)?.stop('SIGKILL')
  const answers = []
  for (let n = 0; n < 6; n++) answers.push(await askFor(ground, id))
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  const unwell = await unwellClouds(ground, id)
  await cloud.start({ role: 'api' })
  await leadTo(own, cloud.base())
  const back = await askFor(ground, id)
  const faults = [
    ...unwell.faults,
    ...(slowest < AWAY_MS && answers.every(({ status }) => status === 503) ? [] : [`away: ${JSON.stringify(answers)}`]),
    ...(back.status === 200 ? [] : [`not back: ${JSON.stringify(back)}`]),
  ]
  return {
    faults,
    said: `cloud stopped: 503 after at most ${slowest.toFixed(0)} ms (bar ${AWAY_MS}), local routes at ${ratio.toFixed(2)} of what they are while it answers; ${unwell.said}`,
  }
}

/**
 * Local routes while the cloud is away, of what they are while it answers. Both times the same four people look at a deployment that is
 * there: who compares it with nobody asking measures what they cost. In turns, from a cloud that answers to a port where nobody listens.
 */
async function localRates(ground: Ground, load: LoadProcess, id: string): Promise<number> {
  const { cloud, own } = ground
  const here = { port: portOf(own.base()), token: own.token, path: '/api/projects?limit=20', connections: 4 }
  await load.run({ ...here, ms: 2000 })
  const nobody = `http://127.0.0.1:${await freePort()}`
  const asking = new AbortController()
  const others = Promise.all(Array.from({ length: 4 }, () => keepAsking(ground, id, asking.signal)))
  const ratios: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const rates: Record<string, number> = {}
    for (const to of n % 2 === 0 ? [nobody, cloud.base()] : [cloud.base(), nobody]) {
      await leadTo(own, to)
      rates[to] = (await load.run({ ...here, ms: 500 })).perSecond
    }
    ratios.push((rates[nobody] ?? 0) / (rates[cloud.base()] ?? 1))
  }
  asking.abort()
  await others
  await leadTo(own, cloud.base())
  return median(ratios)
}

/** Ten times a second, as a page that somebody left open would. */
async function keepAsking(ground: Ground, id: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await askFor(ground, id)
    await new Promise((next) => setTimeout(next, 100))
  }
}
