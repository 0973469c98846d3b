import { ApiError } from '@slipway/contract/client'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from '../instance/instance.ts'
import { pagesOf } from '../instance/pages.ts'
import { backoffMs, pause } from '../instance/pause.ts'
import { logLine } from '../show/log-line.ts'
import { eventsIn } from './events.ts'

type Options = { service: string | undefined; limit: number }
type Line = Parameters<typeof logLine>[1]
/** Where one is: the release, the mark of the last line of it, and how many lines of before are wanted. */
type Place = { release: Deployment; last: string | null; limit: number; service: string | undefined }

/** The stream of a release that was replaced stays open and silent: its services live on with other tasks. */
const WATCH_MS = 2000
/** All that a new release has printed until it was noticed, as far as the API gives it in one answer. */
const ALL_LINES = 5000

/**
 * What the services of the active release print, until somebody leaves. When the connection ends it goes on behind the last line; when
 * another release has become the active one, with that one. Who asked for a release that does not serve stays with it.
 */
export async function followRuntime(
  call: Call,
  instance: Instance,
  first: Deployment,
  { service, limit }: Options,
): Promise<number> {
  const { out, signal } = call
  const place: Place = { release: first, last: null, limit, service }
  const isNew = unseen()
  for (let lost = 0; ; lost++) {
    const before = place.last
    const next = await readUntilReplaced(call, instance, place, (line) => {
      if (!isNew(line)) return
      out.event({ event: 'log', ...line })
      out.line(logLine(out, line))
    })
    if (place.last !== before || next !== null) lost = 0
    if (next === null) await pause(backoffMs(lost), signal)
    const active = next ?? (first.active ? await activeOf(instance, first.projectId) : null)
    if (active === null || active.id === place.release.id) continue
    out.say(out.paint('dim', `— #${active.number} has taken the place of #${place.release.number} —`))
    out.event({ event: 'release', deploymentId: active.id, number: active.number })
    Object.assign(place, { release: active, last: null, limit: ALL_LINES } satisfies Partial<Place>)
  }
}

/** Reads until the connection ends, or until another release serves, which it answers with. */
async function readUntilReplaced(
  call: Call,
  instance: Instance,
  place: Place,
  onLine: (line: Line) => void,
): Promise<Deployment | null> {
  const reading = new AbortController()
  const signal = AbortSignal.any([call.signal, reading.signal])
  const replaced = place.release.active ? replacement(instance, place.release, signal) : Promise.resolve(null)
  void replaced.then((next) => next && reading.abort())
  try {
    await readLines(instance, place, signal, onLine)
  } catch (error) {
    if (call.signal.aborted || (!reading.signal.aborted && !isAway(error))) throw error
  } finally {
    reading.abort()
  }
  return replaced
}

async function readLines(
  { api }: Instance,
  place: Place,
  signal: AbortSignal,
  onLine: (line: Line) => void,
): Promise<void> {
  const { release, last, limit, service } = place
  const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
  const query = { kind: 'runtime' as const, follow: 'true' as const, limit, ...(service !== undefined && { service }) }
  const answer = await api.deployments.logs({ params: { id: release.id }, query, headers, signal })
  if (!(answer instanceof Response)) return
  for await (const event of eventsIn(answer)) {
    place.last = event.id || place.last
    if (event.name === 'log') onLine(event.data as Line)
  }
}

/** The release that serves instead, when there is one; null when nobody wants to know any more. */
async function replacement(instance: Instance, release: Deployment, signal: AbortSignal): Promise<Deployment | null> {
  try {
    for (;;) {
      await pause(WATCH_MS, signal)
      const active = await activeOf(instance, release.projectId).catch(() => null)
      if (active !== null && active.id !== release.id) return active
    }
  } catch {
    return null
  }
}

/** A service that a release did not change goes on as it was, and what it printed would be told again. */
function unseen(): (line: Line) => boolean {
  let recent = new Set<string>()
  let older = new Set<string>()
  return ({ service, ts, line }) => {
    const key = `${service} ${ts} ${line}`
    if (recent.has(key) || older.has(key)) return false
    recent.add(key)
    if (recent.size >= ALL_LINES) [older, recent] = [recent, new Set()]
    return true
  }
}

/** Nothing answered, or something in between did: it is asked again. */
function isAway(error: unknown): boolean {
  if (error instanceof Failure) return error.exit === EXIT.unreachable
  return error instanceof ApiError ? error.status >= 500 : true
}

async function activeOf({ api }: Instance, projectId: string): Promise<Deployment | null> {
  const page = { most: 100, limit: 20 }
  try {
    for await (const one of pagesOf((asked) => api.deployments.list({ query: { projectId, ...asked } }), page))
      if (one.active) return one
  } catch (error) {
    if (!isAway(error)) throw error
  }
  return null
}
