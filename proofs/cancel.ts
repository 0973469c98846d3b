import { until } from '../test-kit/until.ts'
import { type Bench, openBench, openSite } from './parts/faults/bench.ts'
import { CASES, type Case } from './parts/faults/cancel-cases.ts'
import { cancelNow } from './parts/faults/cancel-once.ts'
import { BAR_MS, cancelAll, type Tried } from './parts/faults/cancel-points.ts'
import { verdict } from './parts/faults/cancel-verdict.ts'
import { installHolds } from './parts/faults/hold.ts'

export const claim =
  'a cancel ends a deployment within 5 s wherever it is; nothing of it is left, and the old release answers all the time'
export const kind = 'story'
export const quick = false

/** A step may be over before its cancel arrives: then it is tried again. */
const TRIES = 8

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'cancel' })
  try {
    await site.start()
    await site.addLocalServer()
    const bench = await openBench(site)
    const tried: Tried[] = []
    for (const one of CASES) tried.push(await tryCase(bench, one).catch((error: Error) => broken(one, error)))
    await installHolds(bench.pool)
    tried.push(...(await cancelAll(bench, ['good', 'rollback', 'crashing', 'crashing at first', 'broken build'])))
    const late = await lateCancels(bench)
    return await verdict(bench, tried, late)
  } finally {
    await site.close()
  }
}

/** Every cancel is judged, also one that came in another step than the one it was meant for. */
async function tryCase(bench: Bench, one: Case): Promise<Tried> {
  const wrong: string[] = []
  for (let attempt = 1; ; attempt++) {
    const before = (await bench.serving()).map(({ id }) => id).join()
    const { id, project, clear } = await one.arrange(bench)
    const done = await cancelNow(bench, id, project).finally(() => clear?.())
    if ('refused' in done) {
      if (done.refused.status !== 'ready') throw new Error(`It was refused, and ended as ${done.refused.status}.`)
      if (attempt === TRIES) throw new Error(`It was too late for a cancel ${TRIES} times.`)
      console.log(`  ${one.name}: it had ended before the cancel came, again`)
      await bench.goBack()
      continue
    }
    const hit = done.during === one.during
    if (done.status !== 'cancelled') wrong.push(`it ended as ${done.status}`)
    if (done.ms > BAR_MS) wrong.push(`it took ${Math.round(done.ms)} ms`)
    const after = await servesAgain(bench)
    if (after === '') wrong.push('the old release does not serve')
    if (hit && !one.live && after !== before) wrong.push('the old release got another container')
    if (!hit && attempt < TRIES) {
      console.log(
        `  ${one.name}: the cancel came in ${done.during} (${Math.round(done.ms)} ms), again ${wrong.join(', ')}`,
      )
      continue
    }
    if (!hit) wrong.push(`the cancel never came in ${one.during}`)
    console.log(
      `  ${one.name}: ${done.status} after ${Math.round(done.ms)} ms ${done.services.join()} ${wrong.join(', ')}`,
    )
    return { name: one.name, wrong, done }
  }
}

function broken({ name }: Case, error: Error): Tried {
  console.log(`  ${name}: ${error.message}`)
  return { name, wrong: [error.message] }
}

/** Tasks of the old release: they stood all the time, or come back where the new version had taken their place. */
async function servesAgain({ serving, site }: Bench): Promise<string> {
  let tasks = ''
  const serves = async () => {
    tasks = (await serving()).map(({ id }) => id).join()
    const answer = await site.visit('steady').catch(() => undefined)
    return tasks !== '' && answer?.text === 'version 1'
  }
  await until('version 1 serves', 20_000, serves, { everyMs: 200 }).catch(() => {})
  return tasks
}

/** What has ended cannot be cancelled: ready, and cancelled. */
async function lateCancels({ site, release, steady }: Bench): Promise<string[]> {
  const { data } = await site.ask('GET', `/api/deployments?projectId=${steady}&status=cancelled&limit=1`)
  const wrong: string[] = []
  for (const id of [release(), data[0]?.id]) {
    const answer = await site.call('POST', `/api/deployments/${id}/cancel`)
    if (answer.status !== 400) wrong.push(`the cancel of an ended deployment was answered with ${answer.status}`)
  }
  return wrong
}
