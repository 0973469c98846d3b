import { createHash, randomUUID } from 'node:crypto'
import type { SeenHead } from '../../../drivers/githost/push-session.ts'
import { failureIn } from '../refuse.ts'
import { asApp, open, type Source, sourcesOf } from '../sources.ts'
import type { PushParts } from './ask-host.ts'
import { askAbout, follow } from './head-store.ts'
import { pollPeriod } from './poll-period.ts'
import * as store from './poll-store.ts'
import { HEADS_CHANGED } from './receive.ts'

/** Of one process; with the tokens it has in memory it polls the same organizations again. */
const POLLER = randomUUID()
/** In a second, of one process: so many lists at most, where each has less than a hundred heads. */
const ORGANIZATIONS = 40
/** A claim is one short statement; where more is due, the next follows at once. */
export const MOST = 200
const AT_ONCE = 8
const UNSEEN_SECONDS = 600

export type Polling = { now?: Date; poller?: string; organizations?: number; signal: AbortSignal }

/** One round: asks where branches are, a hundred in a request. A difference only makes the host worth asking. */
export async function pollHeads(parts: PushParts, polling: Polling): Promise<{ heads: number; lists: number }> {
  const { now = new Date(), poller = POLLER, organizations = ORGANIZATIONS, signal } = polling
  const due = await store.claim(parts.db, { now, poller, organizations, most: MOST })
  const groups = [...Map.groupBy(due, ({ orgId, sourceKey }) => `${orgId} ${sourceKey}`).values()]
  let lists = 0
  const one = async () => {
    for (let group = groups.shift(); group && !signal.aborted; group = groups.shift()) {
      const next = await pollGroup(parts, group, now, signal)
      lists += Math.ceil(group.length / 100)
      await store.saveNext(parts.db, next)
      if (next.some(({ differs, first }) => differs || first !== null)) parts.changes.send(HEADS_CHANGED)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return { heads: due.length, lists }
}

async function pollGroup(
  parts: PushParts,
  group: store.Polled[],
  now: Date,
  signal: AbortSignal,
): Promise<store.Next[]> {
  const { orgId = '', sourceKey = null } = group[0] ?? {}
  const source = (await sourcesOf(parts, orgId)).find(({ key }) => key === sourceKey)
  const jitter = jitterOf(orgId)
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000 * jitter)
  try {
    const seen = source ? await ask(parts, source, group, signal) : group.map(() => undefined)
    return Promise.all(group.map((head, index) => nextOf(parts, head, seen[index], now, after)))
  } catch (error) {
    const failure = failureIn(error)
    if (failure === null) throw error
    // After an outage all are looked at once, spread over a minute.
    const pollAt = failure.facts.retryAt ?? new Date(now.getTime() + Math.random() * 60_000)
    return group.map((head) => ({ ...head, pollAt, pollEvery: 60, differs: false, first: null }))
  }
}

/** Up to a fifth later. The same for all of an organization: what is asked for together stays together. */
const jitterOf = (orgId: string) => 1 + (createHash('sha1').update(orgId).digest()[0] ?? 0) / 255 / 5

const ask = (parts: PushParts, source: Source, group: store.Polled[], signal: AbortSignal) =>
  open(parts, source, { signal, background: true }).heads(
    group.map(({ owner, name, ref }) => ({ owner: owner ?? '', name: name ?? '', ref })),
  )

async function nextOf(
  { db }: PushParts,
  head: store.Polled,
  seen: SeenHead,
  now: Date,
  after: (seconds: number) => Date,
): Promise<store.Next> {
  const isOther = seen !== undefined && seen.repoId !== Number(head.repoId)
  const problem = isOther ? 'replaced' : seen === undefined ? 'not_seen' : null
  if (problem !== null || head.pollEvery === UNSEEN_SECONDS) await store.flagProjects(db, head, problem)
  if (seen === undefined || isOther)
    return { ...head, pollAt: after(UNSEEN_SECONDS), pollEvery: UNSEEN_SECONDS, differs: false, first: null }
  const { defaultBranch } = seen
  if (defaultBranch !== null && defaultBranch !== head.defaultBranch)
    await store.setDefaultBranch(db, head.orgId, head.repoId, defaultBranch)
  const isFirst = head.seq === '0'
  const seconds = pollPeriod({ ...head, now })
  const differs = !isFirst && seen.sha !== head.sha
  return { ...head, pollAt: after(seconds), pollEvery: seconds, differs, first: isFirst ? seen.sha : null }
}

/** Projects that were linked a moment ago get their heads. */
export const followNew = ({ db, config }: PushParts) => follow(db, config.githost.host)

/** Deliveries that did not reach us stand in the app's own log: one request for all of its installations. */
export async function lookAtFailed(parts: PushParts, signal: AbortSignal): Promise<void> {
  for (const app of await store.apps(parts.db, parts.config.githost.host)) {
    try {
      const failed = (await asApp(parts, app, signal).failedDeliveries()).filter(({ event }) => event === 'push')
      const unknown = await store.unknown(
        parts.db,
        app.hookKey,
        failed.map(({ guid }) => guid),
      )
      const missed = failed.filter(({ guid }) => unknown.has(guid))
      const repoIds = new Set(missed.map(({ repoId }) => repoId))
      await askAbout(
        parts.db,
        app.id,
        [...repoIds].filter((id) => id !== null),
      )
      await store.noteMissed(parts.db, app.hookKey, missed)
      if (missed.length > 0) parts.changes.send(HEADS_CHANGED)
    } catch (error) {
      if (failureIn(error) === null) throw error
    }
  }
}
