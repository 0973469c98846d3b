import { setTimeout as sleep } from 'node:timers/promises'
import type Docker from 'dockerode'
import type { Container, Service } from 'dockerode'
import { EdgeFailure } from './edge.ts'
import { SPEC_LABEL } from './service.ts'

/** One edge on one engine, for as long as the signal lives. */
export type EdgeScope = { docker: Docker; name: string; signal: AbortSignal; pendingMs: number }

/** dockerode has no type for what it answers. */
type Task = {
  CreatedAt?: string
  DesiredState?: string
  Spec?: { ContainerSpec?: { Labels?: Record<string, string> } }
  Status?: { State?: string; Timestamp?: string; Err?: string; ContainerStatus?: { ContainerID?: string } }
}

const POLL_MS = 200
/** A task that dies this often will not come up by waiting. */
const MOST_FAILED_TASKS = 3

/**
 * The edge's container once its task runs, which with a health check means that it answers. `hash` asks for a task of
 * that very specification.
 */
export async function runningEdge(scope: EdgeScope, hash?: string): Promise<{ container: Container }> {
  const { docker, name, signal } = scope
  for (;;) {
    signal.throwIfAborted()
    const service = await findService(scope)
    if (!service) throw new EdgeFailure('edge_missing', `There is no edge named ${name} on this server.`)
    const tasks = await tasksOf(scope, hash ?? service.Spec?.Labels?.[SPEC_LABEL])
    const id = tasks.find(runs)?.Status?.ContainerStatus?.ContainerID
    if (id) return { container: docker.getContainer(id) }
    if (hash) refuseDeadEnd(scope, service, hash, tasks)
    await sleep(POLL_MS, undefined, { signal })
  }
}

/**
 * The service once no update runs. One that waits for a port would run for ever, so the wait has an end: whoever comes
 * then replaces it. An update on top of a running one would make the unproven version the one to go back to.
 */
export async function settledService(scope: EdgeScope, waitMs: number): Promise<Service | undefined> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const service = await findService(scope)
    const busy = /^(updating|rollback_started)$/.test(service?.UpdateStatus?.State ?? '')
    if (!busy || performance.now() > deadline) return service
    await sleep(POLL_MS, undefined, { signal: scope.signal })
  }
}

export async function findService({ docker, name, signal }: EdgeScope): Promise<Service | undefined> {
  const found: Service[] = await docker.listServices({ filters: { name: [name] }, abortSignal: signal })
  // The filter takes every name that begins like this.
  return found.find((service) => service.Spec?.Name === name)
}

async function tasksOf({ docker, name, signal }: EdgeScope, hash: string | undefined): Promise<Task[]> {
  const tasks: Task[] = await docker.listTasks({ filters: { service: [name] }, abortSignal: signal })
  const newestFirst = tasks.toSorted((a, b) => (b.CreatedAt ?? '').localeCompare(a.CreatedAt ?? ''))
  return newestFirst.filter(({ Spec }) => Spec?.ContainerSpec?.Labels?.[SPEC_LABEL] === hash)
}

const runs = (task: Task) => task.DesiredState === 'running' && task.Status?.State === 'running'

/** Ends the wait for an edge that was just set up and cannot come up. */
function refuseDeadEnd({ name, pendingMs }: EdgeScope, service: Service, hash: string, tasks: Task[]): void {
  const failed = tasks.filter(({ Status }) => Status?.State === 'failed' || Status?.State === 'rejected')
  // Swarm has brought back the former specification, or another caller has set one.
  const gaveUp = service.Spec?.Labels?.[SPEC_LABEL] !== hash
  // No node takes it: a port is in use. An edge that makes way for its successor holds its ports for a while, too.
  const waits = tasks.some(({ Status }) => Status?.State === 'pending' && Status.Err && ageOf(Status) > pendingMs)
  if (failed.length < MOST_FAILED_TASKS && !gaveUp && !waits) return
  // What a task died of says more than what the next one waits for.
  const reason = [...failed, ...tasks].map(({ Status }) => Status?.Err).find(Boolean) ?? 'its tasks ended'
  throw new EdgeFailure('edge_not_started', `The edge ${name} does not start: ${reason}.`)
}

const ageOf = ({ Timestamp = '' }: NonNullable<Task['Status']>) => Date.now() - Date.parse(Timestamp)

/** The container ended between finding and asking it; its successor has the same volume. */
export function isGone(error: unknown): boolean {
  const { statusCode } = error as { statusCode?: number }
  return statusCode === 404 || statusCode === 409
}
