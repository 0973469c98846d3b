import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { openRuns, submit } from '../../../jobs/enqueue.ts'
import { eachFairly, fairShare } from '../../fair-share.ts'
import { allVariables } from '../../projects/settings-store.ts'
import * as projects from '../../projects/store.ts'
import { openVariables } from '../../projects/variables.ts'
import { redactor } from '../events/redact.ts'
import { secretsOfRun } from '../events/secrets.ts'
import type { DeployParts } from '../parts.ts'
import * as store from '../rows/store.ts'
import { type Inspection, inspectRelease, isAway } from './inspect-release.ts'
import type { RestoreInput, Trouble } from './restore.ts'
import { releasesToWatch, stopWatch, type WatchedRelease } from './watch-store.ts'

const MOST = 500
const SHARE = 50
const AT_ONCE = 8
const PER_ORG = 2

/** What one round leaves to the next, by release. */
type Round = {
  suspects: Map<string, Trouble>
  /** Their engine was away meanwhile. When it comes back, it may have ended what ran: once. */
  away: Set<string>
  /** Tasks that ended with their engine: once it was restarted again, only we remember. */
  byEngine: Map<string, string[]>
  /** What kept us from asking its engine has been logged. */
  told: Set<string>
}
const newRound = (): Round => ({ suspects: new Map(), away: new Set(), byEngine: new Map(), told: new Set() })

/**
 * Inspects every release that went live a moment ago. One of whose services dies again and again, or does not pass its
 * check any more, is seen so twice in a row: what it took the place of comes back. An engine that does not answer says
 * nothing about a release: its time is over only when it was looked at after its end, or when that was a day ago.
 */
export function watchAfterRelease(parts: DeployParts) {
  let last = newRound()
  return async (signal: AbortSignal): Promise<void> => {
    const next = newRound()
    const waiting = await fairShare({ most: MOST, share: SHARE }, (most, except) =>
      releasesToWatch(parts.db, most, except),
    )
    const gone = new Set<string>()
    await eachFairly(waiting, { atOnce: AT_ONCE, perOrg: PER_ORG, signal }, async (release) => {
      // One that did not answer is not asked again for each of its projects.
      const found: Inspection = gone.has(release.serverId)
        ? { kind: 'unseen', why: { code: 'engine_unreachable' } }
        : await inspectRelease(parts, release, { forgiven: forgivenOf(last, release.id), signal })
      if (signal.aborted) return
      if (found.kind === 'unseen' && isAway(found.why)) gone.add(release.serverId)
      await conclude(parts, release, found, { last, next })
    })
    last = next
  }
}

const forgivenOf = ({ away, byEngine }: Round, id: string) => ({
  byEngine: byEngine.get(id) ?? [],
  more: away.has(id) ? 1 : 0,
})

type Rounds = { last: Round; next: Round }

async function conclude(
  parts: DeployParts,
  release: WatchedRelease,
  found: Inspection,
  { last, next }: Rounds,
): Promise<void> {
  const { id } = release
  const suspected = last.suspects.get(id)
  if (last.away.has(id) || found.kind === 'unseen') next.away.add(id)
  next.byEngine.set(id, found.kind === 'unseen' ? (last.byEngine.get(id) ?? []) : found.byEngine)
  if (found.kind === 'trouble') {
    if (suspected) await sendBack(parts, release, found.trouble)
    else next.suspects.set(id, found.trouble)
  } else if (found.kind === 'well') {
    if (release.over) await stopWatch(parts.db, release.projectId)
  } else {
    if (suspected) next.suspects.set(id, suspected)
    await unseen(parts, release, found.why, { last, next })
  }
}

async function unseen(
  parts: DeployParts,
  release: WatchedRelease,
  why: unknown,
  { last, next }: Rounds,
): Promise<void> {
  const { id, serverId: server } = release
  const about = { deployment: id, server, err: why }
  if (release.stale) {
    parts.log.warn(about, 'the engine could not be asked for a day: this release is not watched any more')
    await stopWatch(parts.db, release.projectId)
  } else if (!isAway(why)) {
    if (!last.told.has(id)) parts.log.warn(about, 'a release that went live could not be looked at')
    next.told.add(id)
  }
}

/** In the project's turn: nothing is being rolled out meanwhile. Once: whoever asks again finds it asked for. */
async function sendBack(parts: DeployParts, release: WatchedRelease, { service, message }: Trouble): Promise<void> {
  const redact = await redactorOf(parts, release)
  await transaction(parts.db, async (tx) => {
    await stopWatch(tx, release.projectId)
    const open = await openRuns(tx, release.orgId, release.projectId)
    if (open.some(({ kind }) => kind === 'restore')) return
    const trouble = { service, message: redact(message) }
    const input: RestoreInput = { deployment: release.id, previous: release.tookOver, trouble }
    const run = { id: newId('run'), lane: release.projectId, kind: 'restore', orgId: release.orgId, input }
    await submit(tx, parts.transport, { ...run, urgency: 'short' })
  })
}

/** The engine repeats what a container said of itself. */
async function redactorOf(
  parts: DeployParts,
  { id, orgId, projectId }: WatchedRelease,
): Promise<(text: string) => string> {
  const project = await projects.load(parts.db, orgId, projectId)
  const deployment = await store.load(parts.db, orgId, id)
  const variables = openVariables(parts, await allVariables(parts.db, project))
  return redactor(await secretsOfRun(parts, { project, deployment, variables }))
}
