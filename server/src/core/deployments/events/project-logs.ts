import type { Page } from '@slipway/contract/pages'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { releaseOf } from '../rows/release.ts'
import type { DeploymentRow } from '../rows/store.ts'
import * as store from '../rows/store.ts'
import type { ActiveReleases } from './active-releases.ts'
import type { Line } from './line.ts'
import type { LiveRedactors } from './live-redactors.ts'
import type { Redactors } from './redact/redactors.ts'
import { followRunning, readRunning } from './running-logs.ts'

type Parts = Pick<BaseParts, 'db' | 'runtime' | 'keys' | 'config'> & {
  redactors: Redactors
  liveRedactors: LiveRedactors
  activeReleases: ActiveReleases
}
type Query = { limit?: number | undefined; service?: string | undefined; after?: string | undefined }
type Project = { id: string; orgId: string }

const DEFAULT_LINES = 1000
/** What a release printed before anybody noticed that it serves. */
const ALL_LINES = 5000
/** A reader who was away that long is told what prints now. */
const MOST_RELEASES = 5

/** The last lines that the services of the active release printed; none where nothing serves. */
export async function readProjectLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  { limit = DEFAULT_LINES, service }: Query,
  signal: AbortSignal,
): Promise<Page<Line>> {
  const active = await activeOf(parts, await requireProject(parts.db, caller, id))
  return { data: active ? await readRunning(parts, active, { limit, service }, signal) : [], nextCursor: null }
}

/** What the active release prints, and when another one takes its place, what that one prints. */
export async function followProjectLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  query: Query,
  signal: AbortSignal,
): Promise<(signal: AbortSignal) => AsyncIterable<Line[]>> {
  const project = await requireProject(parts.db, caller, id)
  const first = await activeOf(parts, project)
  // While an answer can still say that the server is away.
  const wanted = { limit: query.limit ?? DEFAULT_LINES, service: query.service, after: query.after }
  const open = first && (await followRunning(parts, first, wanted, signal))
  return (reading) => goOver(parts, project, query, { first, open }, reading)
}

type Opened = { first: DeploymentRow | undefined; open: Lines | undefined }
type Lines = (signal: AbortSignal) => AsyncIterable<Line[]>

async function* goOver(parts: Parts, project: Project, query: Query, opened: Opened, reading: AbortSignal) {
  const last = new Map<string, string>()
  const noted = (lines: Line[]) => {
    for (const { service, ts } of lines) if (service !== null) last.set(service, ts)
    return lines
  }
  let { first: release, open: lines } = opened
  if (release) yield noted(await missed(parts, release, query, reading))
  while (!reading.aborted) {
    const next = watchNext(parts, project, release?.id ?? null, reading)
    try {
      if (lines) for await (const batch of lines(next.signal)) yield noted(batch)
      const successor = await successorOf(parts, project, await next.id)
      if (!successor) return
      yield [turnLine(successor, release)]
      const wanted = {
        limit: ALL_LINES,
        service: query.service,
        after: whereUnchanged(parts, release, successor, last),
      }
      lines = await followRunning(parts, successor, wanted, reading)
      release = successor
    } finally {
      next.stop()
    }
  }
}

/** `signal` ends when another release serves or nobody reads any more; `id` is then that release, or null. */
function watchNext({ activeReleases }: Parts, project: Project, known: string | null, reading: AbortSignal) {
  const replaced = new AbortController()
  const { promise: id, resolve } = Promise.withResolvers<string | null>()
  const stopWatching = activeReleases.watch(project, known, (active) => {
    resolve(active)
    replaced.abort()
  })
  const gone = () => resolve(null)
  reading.addEventListener('abort', gone)
  if (reading.aborted) gone()
  const stop = () => {
    stopWatching()
    reading.removeEventListener('abort', gone)
  }
  return { id, signal: AbortSignal.any([reading, replaced.signal]), stop }
}

const activeOf = async ({ db }: Parts, project: Project) => {
  const active = await store.findActive(db, project.id)
  return active && store.find(db, { orgId: project.orgId, projectId: null }, active.id)
}

const successorOf = async ({ db }: Parts, { orgId }: Project, id: string | null) =>
  id === null ? undefined : store.find(db, { orgId, projectId: null }, id)

/** Which deployment brought a service of a release: one that was left as it was keeps its tasks, and their lines. */
const broughtBy = (parts: Parts, row: DeploymentRow) => {
  const { services } = releaseOf(parts, row)
  return (service: string) => services.find((spec) => spec.service === service)?.deployment ?? row.id
}

/** A service that goes on as it was goes on behind its last line; of a new one all is told. */
function whereUnchanged(
  parts: Parts,
  before: DeploymentRow | undefined,
  now: DeploymentRow,
  last: ReadonlyMap<string, string>,
) {
  if (!before) return undefined
  const [was, is] = [broughtBy(parts, before), broughtBy(parts, now)]
  return (service: string) => (was(service) === is(service) ? last.get(service) : undefined)
}

/** What former releases printed after the last line that a reader saw who was away while they were replaced. */
async function missed(
  parts: Parts,
  active: DeploymentRow,
  { after, service }: Query,
  signal: AbortSignal,
): Promise<Line[]> {
  if (after === undefined) return []
  const told = new Set<string>()
  const found: Line[][] = []
  let row: DeploymentRow | undefined = active
  for (let n = 0; row && n < MOST_RELEASES; n++) {
    const brought = broughtBy(parts, row)
    const names = row.services.map(({ name }) => name)
    if (row !== active) {
      const lines = await readRunning(parts, row, { limit: ALL_LINES, service, after }, signal)
      found.unshift(lines.filter((line) => !told.has(`${line.service} ${brought(line.service ?? '')}`)))
    }
    for (const name of names) told.add(`${name} ${brought(name)}`)
    row = await formerOf(parts, row, after)
  }
  return found.flat()
}

/** The release before this one, if that served after this time. */
async function formerOf({ db }: Parts, { finishedAt, tookOver, orgId }: DeploymentRow, after: string) {
  const servedThen = finishedAt !== null && finishedAt.toISOString() > after
  return servedThen && tookOver ? store.find(db, { orgId, projectId: null }, tookOver) : undefined
}

const turnLine = ({ id, number }: DeploymentRow, before: DeploymentRow | undefined): Line => ({
  seq: null,
  ts: new Date().toISOString(),
  stream: 'stdout',
  step: null,
  service: null,
  line: before ? `[#${number} has taken the place of #${before.number}]` : `[#${number} serves]`,
  release: { deploymentId: id, number },
})
