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

/**
 * What the services of the active release print, until somebody leaves. When the connection ends it goes on behind the last line; when
 * another release has become the active one, with that one.
 */
export async function followRuntime(
  call: Call,
  instance: Instance,
  first: Deployment,
  options: Options,
): Promise<number> {
  const { out, signal } = call
  let current = first
  let last: string | null = null
  for (let lost = 0; ; lost++) {
    const seen: string | null = await readLines(call, instance, current.id, options, last)
    if (seen !== last) lost = 0
    last = seen
    await pause(backoffMs(lost), signal)
    const active = await activeOf(instance, first.projectId)
    if (active === null || active.id === current.id) continue
    out.say(out.paint('dim', `— #${active.number} has taken the place of #${current.number} —`))
    out.event({ event: 'release', deploymentId: active.id, number: active.number })
    current = active
    last = null
  }
}

/** Reads until the connection ends; answers with the mark of the last line. */
async function readLines(
  { out, signal }: Call,
  { api }: Instance,
  id: string,
  { service, limit }: Options,
  last: string | null,
): Promise<string | null> {
  const query = { kind: 'runtime' as const, follow: 'true' as const, limit, ...(service !== undefined && { service }) }
  const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
  let mark = last
  try {
    const answer = await api.deployments.logs({ params: { id }, query, headers, signal })
    if (!(answer instanceof Response)) return mark
    for await (const event of eventsIn(answer)) {
      mark = event.id || mark
      if (event.name !== 'log') continue
      out.event({ event: 'log', ...event.data })
      out.line(logLine(out, event.data as Line))
    }
  } catch (error) {
    const away =
      error instanceof Failure
        ? error.exit === EXIT.unreachable
        : error instanceof ApiError
          ? error.status >= 500
          : true
    if (signal.aborted || !away) throw error
  }
  return mark
}

async function activeOf({ api }: Instance, projectId: string): Promise<Deployment | null> {
  try {
    for await (const one of pagesOf((page) => api.deployments.list({ query: { projectId, ...page } }), { most: 100 }))
      if (one.active) return one
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.unreachable) throw error
  }
  return null
}
