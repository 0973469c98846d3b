import { setTimeout as sleep } from 'node:timers/promises'
import type Docker from 'dockerode'
import type { Container, ContainerInfo } from 'dockerode'
import { NAME_LABEL, ROLE_LABEL, SPEC_LABEL } from './container.ts'
import { edgeFailure } from './edge.ts'

/** One edge on one engine, for as long as the signal lives. */
export type EdgeScope = { docker: Docker; name: string; signal: AbortSignal; pendingMs: number }

const POLL_MS = 100
/** One that dies this often will not come up by waiting. */
const MOST_RESTARTS = 3

/**
 * The edge's container once it answers. One that somebody stopped is started: the engine itself starts again only what ended
 * by itself. `hash` asks for one of that very specification.
 */
export async function runningEdge(scope: EdgeScope, hash?: string): Promise<{ container: Container }> {
  const { docker, name, signal } = scope
  for (;;) {
    signal.throwIfAborted()
    const found = (await edgesOf(scope)).filter(({ Labels }) => !hash || Labels[SPEC_LABEL] === hash)
    const [first] = found
    if (!first) throw edgeFailure('edge_missing', `There is no edge named ${name} on this server.`)
    const up = found.find(isHealthy)
    if (up) return { container: docker.getContainer(up.Id) }
    // A successor that is not started yet waits for the other to stop, and whoever made it starts it.
    if (found.length === 1 && isStopped(first)) await startEdge(scope, first.Id)
    await refuseDeadEnd(scope, first.Id)
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** Newest first; its successor as well, while it is being replaced. */
export async function edgesOf({ docker, name, signal }: EdgeScope): Promise<ContainerInfo[]> {
  const filters = { label: [`${ROLE_LABEL}=edge`, `${NAME_LABEL}=${name}`] }
  const found = await docker.listContainers({ all: true, filters, abortSignal: signal })
  return found.toSorted((a, b) => b.Created - a.Created)
}

export const isStopped = ({ State }: ContainerInfo) => State === 'created' || State === 'exited'
const isHealthy = ({ State, Status }: ContainerInfo) => State === 'running' && /\(healthy\)/.test(Status)

/** Its port may be in use for a moment more, by the one that makes way for it. */
export async function startEdge({ docker, name, signal, pendingMs }: EdgeScope, id: string): Promise<void> {
  const deadline = performance.now() + pendingMs
  for (;;) {
    try {
      await docker.getContainer(id).start({ abortSignal: signal })
      return
    } catch (error) {
      const { statusCode, message } = error as { statusCode?: number; message: string }
      if (statusCode === 304) return
      signal.throwIfAborted()
      if (statusCode === 404) throw error
      if (!/already allocated|already in use/i.test(message) || performance.now() > deadline) {
        throw edgeFailure('edge_not_started', `The edge ${name} does not start: ${message}.`, error)
      }
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

async function refuseDeadEnd({ docker, name, signal }: EdgeScope, id: string): Promise<void> {
  const found = await docker
    .getContainer(id)
    .inspect({ abortSignal: signal })
    .catch((error) => {
      if (isGone(error)) return undefined
      throw error
    })
  if (!found || found.RestartCount < MOST_RESTARTS) return
  const why = found.State.Error || `it ended with code ${found.State.ExitCode}, again and again`
  throw edgeFailure('edge_not_started', `The edge ${name} does not start: ${why}.`)
}

/** The container ended between finding and asking it; its successor has the same volume. */
export function isGone(error: unknown): boolean {
  const { statusCode } = error as { statusCode?: number }
  return statusCode === 404 || statusCode === 409
}
