import { loadavg } from 'node:os'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { readStream } from '../event-reader.ts'
import { all, fleetFiles, KEEPER, LOADED, type Loaded, type Manner, NAMES, type Name, type Versions } from './fleet.ts'
import type { Outage } from './outage.ts'
import type { FleetTraffic } from './traffic.ts'

type Live = { id: string; versions: Versions }
type Parts = { site: Site; traffic: FleetTraffic; outage: Outage; project: string }
export type Stage = Parts & {
  live: Live
  began: number
  /** How often containers of a service had to be replaced, the first included. */
  replaced: Record<Name, number>
  /** Requests that failed to a service while a release of it that fell was live. */
  excused: Partial<Record<Name, number>>
  fell: Set<Name>
  restores: string[]
  /** Interruptions of the one with a volume, seen from outside, and whether one is due. */
  gaps: { what: string; teller: string | null; outsideMs: number; failed: number }[]
  interrupted: boolean
  /** The versions that have written to the volume, in their order. */
  starts: string[]
  faults: string[]
  done: string[]
}

export const openStage = (parts: Parts): Stage => ({
  ...parts,
  live: { id: '', versions: all('0') },
  began: performance.now(),
  replaced: Object.fromEntries(NAMES.map((name) => [name, 0])) as Stage['replaced'],
  excused: {},
  fell: new Set(),
  interrupted: false,
  starts: ['0'],
  ...{ restores: [], gaps: [], faults: [], done: [] },
})

export async function first(stage: Stage, order: object): Promise<void> {
  const { site, traffic, project } = stage
  const versions = all('0')
  const id = await site.deploy(project, fleetFiles(versions, {}, traffic.ledgers), order)
  await ready(stage, id, 300)
  await traffic.allow(versions)
  for (const name of NAMES) stage.replaced[name]++
  stage.live = { id, versions }
  stage.began = performance.now()
}

export async function redeploy(stage: Stage, what: string, next: Versions): Promise<void> {
  const { traffic, live } = stage
  await traffic.allow(live.versions, next)
  const began = performance.now()
  const id = await send(stage, next)
  await ready(stage, id)
  await becomes(stage, { id, versions: next })
  await say(stage, `${what}: ready after ${since(began)} s`, id)
  stage.done.push(`redeploy with ${what}`)
}

export async function rollback(stage: Stage, to: Live): Promise<void> {
  const { site, traffic, live } = stage
  await traffic.allow(live.versions, to.versions)
  const began = performance.now()
  const { deployment_id: id } = await site.ask('POST', `/api/deployments/${to.id}/rollback`)
  await ready(stage, id)
  await becomes(stage, { id, versions: to.versions })
  await say(stage, `rolled back after ${since(began)} s`, id)
  stage.done.push('rollback')
  await autoDeploy(stage, 'a rollback')
}

/** To a service that falls: as many as come to it in two seconds. */
const MOST_FALLEN = 160

type Case = { next: Versions; bad: Loaded; manner: Manner; choice: 'keep' | 'reject' }

/** One of the services does not come up: it never answers in its new version, and someone decides about the others. */
export async function partial(stage: Stage, { next, bad, manner, choice }: Case): Promise<void> {
  const { site, traffic, live } = stage
  const mixed = { ...next, [bad]: live.versions[bad], ...heldBy(bad, live.versions) }
  await traffic.allow(live.versions, mixed)
  const began = performance.now()
  const id = await send(stage, next, { [bad]: manner })
  const seen = await comes(stage, id, ({ decision }) => decision === 'pending')
  if (seen.status !== 'partial_failure') stage.faults.push(`a partial failure is called ${seen.status}`)
  await becomes(stage, { id: live.id, versions: mixed })
  await say(stage, `${bad} ${manner}: undecided after ${since(began)} s`, id)
  const decided = performance.now()
  const after = choice === 'keep' ? mixed : live.versions
  await traffic.allow(mixed, after)
  await site.ask('POST', `/api/deployments/${id}/${choice}`)
  const end = await comes(stage, id, (now) => (choice === 'keep' ? now.active : now.status === 'rejected'))
  await becomes(stage, { id: choice === 'keep' ? id : live.id, versions: after })
  const active = (await site.show(stage.live.id)).active
  if (!active) stage.faults.push(`after ${choice}, the release that should be active is not`)
  await say(stage, `${choice} (${end.status}) after ${since(decided)} s`, null)
  stage.done.push(`partial failure, ${choice === 'keep' ? 'kept' : 'rejected'}`)
}

/** Who waits for one that did not come up is left as it was. */
const heldBy = (bad: Loaded, versions: Versions): Partial<Versions> =>
  bad === 'api' ? { web: versions.web } : bad === 'search' ? { mail: versions.mail } : {}

/** A release that serves well at first, and falls: the one before it comes back by itself, and that is said everywhere. */
export async function falls(stage: Stage, bad: Loaded, next: Versions): Promise<void> {
  const { traffic, live } = stage
  await traffic.allow(live.versions, next)
  const began = performance.now()
  const id = await send(stage, next, { [bad]: 'falls' })
  await ready(stage, id)
  await becomes(stage, { id, versions: next })
  await traffic.allow(next, live.versions)
  await say(stage, `version ${next[bad]} of ${bad}, which falls: ready after ${since(began)} s`, id)
  const from = performance.now()
  const { [bad]: before } = await traffic.look()
  const end = await comes(stage, id, ({ status }) => status === 'failed', 120)
  const seconds = since(from)
  const { [bad]: after } = await traffic.look()
  stage.fell.add(bad)
  const fallen = after.failed - before.failed
  stage.excused[bad] = (stage.excused[bad] ?? 0) + fallen
  if (fallen > MOST_FALLEN)
    stage.faults.push(`${fallen} requests failed to ${bad} as it fell, more than ${MOST_FALLEN}`)
  stage.restores.push(`${bad} restored ${seconds} s after ready`)
  await becomes(stage, live)
  await say(stage, `restored by itself ${seconds} s after it was ready`, null)
  await wellTold(stage, end, bad)
  stage.done.push(`auto-restore of ${changed(next, live.versions)}`)
  await autoDeploy(stage, 'a restore')
}

const changed = (one: Versions, other: Versions) =>
  `${NAMES.filter((name) => one[name] !== other[name]).length} changed`

async function wellTold(stage: Stage, { id, error, active, services }: Deployment, bad: Loaded): Promise<void> {
  const { site, live, faults } = stage
  if (error?.code !== 'unstable' || error.service !== bad) faults.push(`a restore is told as ${JSON.stringify(error)}`)
  if (active || !(await site.show(live.id)).active) faults.push('after a restore the release before is not active')
  const odd = services.filter(({ status }) => status !== 'restored')
  if (odd.length > 0)
    faults.push(`after a restore, services are called ${odd.map((one) => `${one.name} ${one.status}`)}`)
  const events = await readStream(site.base(), site.token, id)
  const told = events.filter(({ type, data }) => type === 'status' && data.status === 'failed')
  if (told.length !== 1 || told[0]?.data.restored !== live.id)
    faults.push(`a restore has ${told.length} events: ${JSON.stringify(events.slice(-3))}`)
  const { data } = await site.ask('GET', `/api/audit?action=deployment.restore&target=${id}`)
  if (data.length !== 1) faults.push(`a restore has ${data.length} audit entries`)
}

/** Paused by whatever went back; resumed for what comes next. */
async function autoDeploy({ site, project, faults }: Stage, after: string): Promise<void> {
  const { autoDeployPaused } = await site.ask('GET', `/api/projects/${project}`)
  if (!autoDeployPaused) faults.push(`auto-deploy is not paused after ${after}`)
  await site.ask('PATCH', `/api/projects/${project}`, { settings: { autoDeploy: true } })
}

const send = ({ site, traffic, project }: Stage, versions: Versions, manners: { [name in Name]?: Manner } = {}) =>
  site.deploy(project, fleetFiles(versions, manners, traffic.ledgers))

async function ready({ site }: Stage, id: string, seconds = 180): Promise<void> {
  const { status, error } = await site.ended(id, seconds)
  if (status !== 'ready') throw new Error(`a good deployment is ${status}: ${JSON.stringify(error)}`)
}

/** Also from a state that looks like an end. */
async function comes({ site }: Stage, id: string, wanted: (seen: Deployment) => boolean, seconds = 180) {
  let seen: Deployment | undefined
  const came = async () => {
    seen = await site.show(id)
    return wanted(seen) && seen
  }
  return until('it comes to that', seconds * 1000, came, { everyMs: 100 }).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)}`)
  })
}

/** From now on these versions serve, and no other one may answer. */
async function becomes(stage: Stage, next: Live): Promise<void> {
  for (const name of NAMES) if (stage.live.versions[name] !== next.versions[name]) stage.replaced[name]++
  if (stage.live.versions[KEEPER] !== next.versions[KEEPER]) {
    stage.interrupted = true
    stage.starts.push(next.versions[KEEPER])
  }
  stage.live = next
  await stage.traffic.allow(next.versions)
}

/** `teller` is the deployment whose events tell about the interruption; going back has no event of its own. */
async function say(stage: Stage, what: string, teller: string | null): Promise<void> {
  const reports = await stage.traffic.look()
  const sum = (key: 'answered' | 'failed') => LOADED.reduce((total, name) => total + reports[name][key], 0)
  const counts = `${sum('answered')} answered, ${sum('failed')} failed, load average ${loadavg()[0]?.toFixed(1)}`
  console.log(`  ${since(stage.began).padStart(5)} s  ${what} | ${counts}`)
  const { longestMs, failed } = await stage.outage.take()
  if (stage.interrupted) stage.gaps.push({ what, teller, outsideMs: longestMs, failed })
  stage.interrupted = false
  // Each start leaves a line there: one that nobody asked for would show.
  const kept = `${stage.live.versions[KEEPER]} after ${stage.starts.join(' ')}`
  const found = await stage.outage.look()
  if (found !== kept) stage.faults.push(`${KEEPER} has ${JSON.stringify(found)}, not ${JSON.stringify(kept)}: ${what}`)
}

export type ToldGap = Stage['gaps'][number] & { toldMs: number | null }

/** What the events of the deployments say about the interruptions that were seen. */
export async function toldGaps({ site, gaps }: Stage): Promise<ToldGap[]> {
  const told: ToldGap[] = []
  for (const gap of gaps) {
    const events = gap.teller === null ? [] : await readStream(site.base(), site.token, gap.teller)
    const [event] = events.filter(
      ({ type, data }) => type === 'service' && data.service === KEEPER && data.interruptedMs,
    )
    told.push({ ...gap, toldMs: event ? Number(event.data.interruptedMs) : gap.teller === null ? null : 0 })
  }
  return told
}

const since = (began: number) => ((performance.now() - began) / 1000).toFixed(1)
