import { loadavg } from 'node:os'
import { compareRoutes } from './parts/forward/equal.ts'
import { deployThere, type Ground, know, leadTo, openGround } from './parts/forward/ground.ts'
import { followBuild } from './parts/forward/stream.ts'
import { askFor, unwellClouds } from './parts/forward/unwell.ts'
import { type LoadProcess, startLoad } from './parts/load.ts'

export const claim =
  'A deployment in the cloud is the same seen from here: bytes, streams and refusals; and a cloud that is not well harms nothing that is here.'
export const quick = false

const MOST_ADDED_MS = 5
const LEAST_THROUGHPUT = 0.7
const AWAY_MS = 1000
const WEB = 'FROM busybox:1\nEXPOSE 8080\nCMD ["httpd", "-f", "-p", "8080", "-h", "/etc"]\n'

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const ground = await openGround()
  const load = startLoad()
  try {
    const { cloud } = ground
    const [ready, failed] = [
      await deployThere(ground, 'web', WEB),
      await deployThere(ground, 'broken', 'FROM busybox:1\nRUN exit 3\n'),
    ]
    await cloud.until(ready, ({ status }) => status === 'ready')
    await cloud.until(failed, ({ status }) => status === 'failed')
    for (const id of [ready, failed]) await know(ground, id)
    const equal = await compareRoutes(ground, ready, failed)
    tell(`${equal.compared} answers compared, ${equal.changed} calls that change something went through`, equal.faults)
    const stream = await followBuild(ground)
    tell(stream.said, stream.faults)
    const speed = await speeds(ground, load, ready)
    const away = await withoutCloud(ground, load, ready)
    tell(away.said, away.faults)
    const faults = [...equal.faults, ...stream.faults, ...away.faults]
    return {
      ok: faults.length === 0 && speed.added < MOST_ADDED_MS && speed.throughput >= LEAST_THROUGHPUT,
      figure: [
        `${equal.routes} routes through the hop and directly, ${equal.compared} answers equal, ${equal.changed} changes done there`,
        stream.said,
        `the hop adds ${speed.added.toFixed(1)} ms at p50 (bar ${MOST_ADDED_MS}), throughput ${speed.throughput.toFixed(2)} of direct (bar ${LEAST_THROUGHPUT})`,
        away.said,
        `${faults.length} faults; load average ${loadavg()[0]?.toFixed(1)}`,
      ].join('; '),
    }
  } finally {
    load.stop()
    await ground.close()
  }
}

function tell(said: string, faults: string[]): void {
  console.log(`  ${said}`)
  for (const fault of faults) console.log(`  FAULT ${fault}`)
}

const ROUNDS = 15
const portOf = (url: string) => Number(new URL(url).port)
const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

/** In turns, so that what else the machine does hits both. One connection tells the latency, many the throughput. */
async function speeds({ cloud, own }: Ground, load: LoadProcess, id: string) {
  const path = `/api/deployments/${id}`
  const sides = [own, cloud].map((site) => ({ port: portOf(site.base()), token: site.token, path }))
  const [through, direct] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const rounds: { added: number; throughput: number }[] = []
  for (let n = 0; n <= ROUNDS; n++) {
    const one = [
      await load.run({ ...through, connections: 1, ms: 300 }),
      await load.run({ ...direct, connections: 1, ms: 300 }),
    ]
    const many = [
      await load.run({ ...through, connections: 32, ms: 400 }),
      await load.run({ ...direct, connections: 32, ms: 400 }),
    ]
    if ([...one, ...many].some(({ refused }) => refused > 0)) throw new Error('some calls were refused')
    const [slow = 0, fast = 0] = one.map(({ perSecond }) => 1000 / perSecond)
    const [ours = 0, theirs = 1] = many.map(({ perSecond }) => perSecond)
    if (n > 0) rounds.push({ added: slow - fast, throughput: ours / theirs })
  }
  return {
    added: median(rounds.map(({ added }) => added)),
    throughput: median(rounds.map(({ throughput }) => throughput)),
  }
}

/** The cloud stopped, then clouds that are not well: what is here is as fast as before. */
async function withoutCloud(ground: Ground, load: LoadProcess, id: string) {
  const { cloud, own } = ground
  const here = { port: portOf(own.base()), token: own.token, path: '/api/projects?limit=20', connections: 4, ms: 400 }
  const rates = async (): Promise<number> => {
    const all: number[] = []
    for (let n = 0; n < 7; n++) all.push((await load.run(here)).perSecond)
    return median(all)
  }
  await rates()
  const before = await rates()
  const api = cloud.replicas.at(-1)
  await api?.stop('SIGKILL')
  const answers = []
  for (let n = 0; n < 6; n++) answers.push(await askFor(ground, id))
  const asking = new AbortController()
  const others = Promise.all(Array.from({ length: 4 }, () => keepAsking(ground, id, asking.signal)))
  const ratio = (await rates()) / before
  asking.abort()
  await others
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
    said: `cloud stopped: 503 after at most ${slowest.toFixed(0)} ms (bar ${AWAY_MS}), local routes at ${ratio.toFixed(2)} of before; ${unwell.said}`,
  }
}

/** Ten times a second, as a page that somebody left open would. */
async function keepAsking(ground: Ground, id: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await askFor(ground, id)
    await new Promise((next) => setTimeout(next, 100))
  }
}
