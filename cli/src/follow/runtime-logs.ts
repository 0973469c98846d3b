import { type Answered, ApiError } from '@slipway/contract/client'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from '../instance/instance.ts'
import { backoffMs, pause } from '../instance/pause.ts'
import { logLine } from '../show/log-line.ts'
import { eventsIn } from './events.ts'

type Options = { service: string | undefined; limit: number }
type Line = Parameters<typeof logLine>[1] & { release?: { deploymentId: string; number: number } }

/**
 * What the services of the active release print, until somebody leaves; when another release takes its place, what that one prints.
 * When the connection ends it goes on behind the last line. Who asked for a release that does not serve stays with it.
 */
export async function followRuntime(
  call: Call,
  instance: Instance,
  deployment: Deployment,
  options: Options,
): Promise<never> {
  const { out, signal } = call
  let last: string | null = null
  const tell = ({ release, ...line }: Line) => {
    if (release !== undefined) {
      out.say(out.paint('dim', `— ${line.line.slice(1, -1)} —`))
      return out.event({ event: 'release', ...release })
    }
    out.event({ event: 'log', ...line })
    out.line(logLine(out, line))
  }
  for (let lost = 0; ; lost++) {
    const before: string | null = last
    try {
      for await (const event of eventsIn(await open(instance, deployment, options, last, signal))) {
        last = event.id || last
        if (event.name === 'log') tell(event.data as Line)
      }
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error
    }
    if (last !== before) lost = 0
    await pause(backoffMs(lost), signal)
  }
}

async function open(
  { api }: Instance,
  { id, projectId, active }: Deployment,
  { service, limit }: Options,
  last: string | null,
  signal: AbortSignal,
): Promise<Answered> {
  const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
  const query = { follow: 'true' as const, limit, ...(service !== undefined && { service }) }
  const answer = active
    ? await api.deployments.projectLogs({ params: { id: projectId }, query, headers, signal })
    : await api.deployments.logs({ params: { id }, query: { ...query, kind: 'runtime' }, headers, signal })
  return answer as Answered
}

/** Nothing answered, or something in between did: it is asked again. */
function isAway(error: unknown): boolean {
  if (error instanceof Failure) return error.exit === EXIT.unreachable
  return error instanceof ApiError ? error.status >= 500 : true
}
