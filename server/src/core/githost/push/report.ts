import type { CommitState, DeploymentState } from '../../../drivers/githost/push-session.ts'
import { Refusal } from '../../../errors.ts'
import { hookAddress } from '../connect/manifest.ts'
import { write } from '../use.ts'
import type { PushParts } from './ask-host.ts'
import { named } from './head-store.ts'
import * as store from './report-store.ts'

type Telling = { state: CommitState; words: string; deployment: DeploymentState | null }

const TELLING: Record<string, Telling> = {
  building: { state: 'pending', words: 'Building', deployment: 'in_progress' },
  deploying: { state: 'pending', words: 'Deploying', deployment: 'in_progress' },
  deciding: { state: 'pending', words: 'Waiting for a decision', deployment: null },
  success: { state: 'success', words: 'Deployed', deployment: 'success' },
  failure: { state: 'failure', words: 'The deployment failed', deployment: 'failure' },
  cancelled: { state: 'error', words: 'Cancelled', deployment: 'inactive' },
}

const MOST = 20
const MOST_TRIES = 5
const MOST_AT_ONCE = 4
/** The host takes 140 characters. */
const MOST_NAME = 100

/** Tells the host how deployments are; whatever becomes of that, the deployments do not notice. */
export async function sendReports(parts: PushParts, signal: AbortSignal): Promise<number> {
  const due = await store.takeDue(parts.db, MOST)
  const waiting = [...due]
  const one = async () => {
    for (let report = waiting.shift(); report; report = waiting.shift()) await send(parts, report, signal)
  }
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, one))
  return due.length
}

async function send(parts: PushParts, report: store.Report, signal: AbortSignal): Promise<void> {
  const { db } = parts
  const telling = TELLING[report.state]
  const at = await named(db, report.orgId, report.repoId)
  if (!telling || !at || report.project === null) return store.again(db, report, null)
  // Near the host's limit for writes only what is final is told.
  if (telling.state === 'pending' && !spend(at.sourceKey, 3, 0.6)) return store.again(db, report, null)
  if (telling.state !== 'pending') spend(at.sourceKey, 2, 1)
  try {
    const asked = { orgId: report.orgId, owner: at.owner, signal, background: true }
    await store.sent(db, report, await write(parts, 'report', asked, (host) => tell(parts, report, telling, host, at)))
  } catch (error) {
    const isOver = report.attempts >= MOST_TRIES || isFinal(error)
    const seconds = (error instanceof Refusal && error.details.retryAfter) || 10 * 2 ** report.attempts
    await store.again(db, report, isOver ? null : new Date(Date.now() + seconds * 1000))
  }
}

/** Busy or away: it is told later. Anything else will not become better by itself. */
const isFinal = (error: unknown) =>
  !(error instanceof Refusal && (error.code === 'githost_busy' || error.code === 'githost_unreachable'))

type Host = Parameters<Parameters<typeof write>[3]>[0]

async function tell(
  { config, db }: PushParts,
  report: store.Report,
  { state, words, deployment }: Telling,
  host: Host,
  at: { owner: string; name: string },
): Promise<number | null> {
  const known = report.hostDeploymentId === null ? null : Number(report.hostDeploymentId)
  const isPublic = hookAddress(config, '') !== null
  const logUrl = isPublic ? `${config.publicUrl}/deployments/${report.deploymentId}` : null
  const context = `slipway/${report.project}`
  const description =
    report.state !== 'cancelled' || report.cancelledBy === null
      ? words
      : `${words} by ${report.cancelledBy.slice(0, MOST_NAME)}`
  await host.setStatus(at, report.sha, { context, state, description, targetUrl: logUrl })
  if (deployment === null) return known
  const id = known ?? (await host.addDeployment(at, report.sha, report.project ?? '', report.deploymentId))
  const environmentUrl = state === 'success' ? report.url : null
  await host.setDeployment(at, id, { state: deployment, logUrl, environmentUrl })
  // The host does not end older ones of production by itself.
  const before = state === 'success' ? (await store.previous(db, report))?.hostDeploymentId : null
  if (before && Number(before) !== id)
    await host.setDeployment(at, Number(before), { state: 'inactive', logUrl: null, environmentUrl: null })
  return id
}

/** The host's limits for what makes content, of one source: 80 in a minute, 500 in an hour. */
const LIMITS = [
  { ms: 60_000, most: 80 },
  { ms: 3600_000, most: 500 },
]
const MOST_SOURCES = 10_000
const windows = new Map<string, { since: number; count: number }[]>()

/** Counts writes of this process; false: more than this share of a limit would be used. */
function spend(key: string, writes: number, share: number): boolean {
  const now = Date.now()
  const known = windows.get(key) ?? LIMITS.map(() => ({ since: now, count: 0 }))
  const current = known.map((one, index) =>
    now - one.since < (LIMITS[index]?.ms ?? 0) ? one : { since: now, count: 0 },
  )
  windows.delete(key)
  windows.set(key, current)
  if (windows.size > MOST_SOURCES) windows.delete(windows.keys().next().value ?? '')
  const fits = current.every(({ count }, index) => count + writes <= (LIMITS[index]?.most ?? 0) * share)
  if (fits || share === 1) for (const one of current) one.count += writes
  return fits
}
