import { loadavg } from 'node:os'
import { openSite } from '../test-kit/site.ts'
import { all, fleetOrder, hostOf, KEEPER, LOADED, type Loaded } from './parts/compose-load/fleet.ts'
import { watchOutage } from './parts/compose-load/outage.ts'
import * as stages from './parts/compose-load/stages.ts'
import { startFleetTraffic } from './parts/compose-load/traffic.ts'
import type { Report } from './parts/http-load.ts'

export const claim =
  'A stack of six services under load loses no request through redeploys, a rejected and a kept partial failure, a rollback and a release that does not hold.'
export const kind = 'story'
export const quick = false

const PER_SECOND = 320
const LEAST_PER_SECOND = 200
const CONNECTIONS = 32
/** What an event says about an interruption may differ so much from what is seen outside. */
const MOST_APART_MS = 2000
/** Below the name of the project, which is all that it gets there. */
const DOMAIN = 'fleet.fleet.test'

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'fleet' })
  const traffic = await startFleetTraffic(site.engine.gateway)
  const at = { address: site.engine.address, port: site.httpPort }
  const outage = watchOutage(at, hostOf(KEEPER, DOMAIN))
  try {
    await site.start()
    await site.addLocalServer()
    const project = await site.project('fleet')
    const stage = stages.openStage({ site, traffic, outage, project })
    await stages.first(stage, fleetOrder(DOMAIN))
    await traffic.begin({
      ...at,
      hostOf: (name) => hostOf(name, DOMAIN),
      perSecond: PER_SECOND,
      connections: CONNECTIONS,
    })
    await outage.take()
    await play(stage)
    return verdict(await traffic.end(), stage, await stages.toldGaps(stage))
  } finally {
    outage.stop()
    traffic.stop()
    await site.close()
  }
}

async function play(stage: stages.Stage): Promise<void> {
  await stages.redeploy(stage, 'all changed', all('1'))
  await stages.redeploy(stage, 'api changed', { ...stage.live.versions, api: '2' })
  const good = stage.live
  await stages.partial(stage, { next: all('3'), bad: 'search', manner: 'crashes', choice: 'reject' })
  await stages.partial(stage, { next: all('4'), bad: 'cart', manner: 'sick', choice: 'keep' })
  await stages.redeploy(stage, 'all changed', all('5'))
  await stages.rollback(stage, good)
  await stages.falls(stage, 'api', { ...stage.live.versions, api: '6' })
  await stages.redeploy(stage, 'all changed', all('7'))
  await stages.falls(stage, 'web', all('8'))
}

type Reports = Record<Loaded, Report>

function verdict(reports: Reports, stage: stages.Stage, gaps: stages.ToldGap[]): { ok: boolean; figure: string } {
  const { excused, faults } = stage
  const sum = (of: (report: Report, name: Loaded) => number) =>
    LOADED.reduce((total, name) => total + of(reports[name], name), 0)
  faults.push(...LOADED.flatMap((name) => oddTasks(reports[name], name, stage)), ...gaps.flatMap(oddGap))
  for (const name of LOADED) for (const failure of reports[name].failures) console.log(`  ${name} failed at ${failure}`)
  for (const fault of faults) console.log(`  WRONG ${fault}`)
  const lost = sum(({ failed }, name) => failed - (excused[name] ?? 0))
  const [repeated, unseen, reset] = [sum((one) => one.repeated), sum((one) => one.unseen), sum((one) => one.resetIdle)]
  const slowest = sum((one) => one.slowest)
  const ok = [lost, repeated, unseen, reset, faults.length].every((count) => count === 0) && slowest >= LEAST_PER_SECOND
  const most = (key: 'p99' | 'worst') => Math.max(...LOADED.map((name) => reports[name][key])).toFixed(0)
  const outside = gaps.map(({ outsideMs }) => outsideMs)
  const fell = LOADED.reduce((total, name) => total + (excused[name] ?? 0), 0)
  const figure = [
    `${lost} of ${sum((one) => one.answered + one.failed)} requests failed to four stateless services of six that were healthy`,
    `at ${sum((one) => one.perSecond).toFixed(0)}/s of ${PER_SECOND} offered (slowest 10 s: ${slowest.toFixed(0)}/s, bar ${LEAST_PER_SECOND}) over ${CONNECTIONS} connections`,
    `p99 ${most('p99')} ms, worst ${most('worst')} ms`,
    `${sum((one) => one.posts)} POSTs, ${repeated} taken twice, ${unseen} answered but not taken`,
    `${stage.done.join(', ')}: ${faults.length} faults`,
    `${fell} requests more failed to services whose own new release fell after it went live (${stage.restores.join(', ')})`,
    `the one with a volume was replaced ${outside.length} times and did not answer for ${Math.min(...outside)} to ${Math.max(...outside)} ms, told within ${MOST_APART_MS} ms of that`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
  ]
  return { ok, figure: figure.join('; ') }
}

/** Whoever was not to be replaced was not, and all that was brought up did answer. One that fell was started more often. */
function oddTasks({ tasks }: Report, name: Loaded, { replaced, fell }: stages.Stage): string[] {
  const right = fell.has(name) ? tasks >= replaced[name] : tasks === replaced[name]
  return right ? [] : [`${tasks} containers of ${name} answered, ${replaced[name]} were asked for`]
}

function oddGap({ what, outsideMs, failed, toldMs }: stages.ToldGap): string[] {
  const said = toldMs === null ? 'no event, it went back' : `its event says ${toldMs} ms`
  console.log(`  ${KEEPER} did not answer for ${outsideMs} ms (${failed} requests failed; ${said}): ${what}`)
  const apart = toldMs === null ? 0 : Math.abs(outsideMs - toldMs)
  return apart > MOST_APART_MS ? [`an interruption of ${outsideMs} ms was told as ${toldMs} ms`] : []
}
