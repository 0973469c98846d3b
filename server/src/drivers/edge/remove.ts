import { setTimeout as sleep } from 'node:timers/promises'
import { EdgeFailure } from './edge.ts'
import { dropAllConfigs } from './ensure.ts'
import { type EdgeScope, findService } from './running.ts'
import { ROLE_LABEL } from './service.ts'

/** How long a network may still hold the addresses of tasks that have ended. */
const NETWORK_MS = 5000
const POLL_MS = 200

export async function removeEdge(scope: EdgeScope): Promise<void> {
  const { docker, name, signal } = scope
  const service = await findService(scope)
  if (service && service.Spec?.Labels?.[ROLE_LABEL] !== 'edge') {
    throw new EdgeFailure('edge_foreign', `The service ${name} on this server is not an edge.`)
  }
  if (service) await docker.getService(service.ID).remove({ abortSignal: signal }).catch(ignoreMissing)
  const label = [`com.docker.swarm.service.name=${name}`]
  while ((await docker.listContainers({ all: true, filters: { label }, abortSignal: signal })).length > 0) {
    await sleep(POLL_MS, undefined, { signal })
  }
  await docker.getVolume(name).remove({ abortSignal: signal }).catch(ignoreMissing)
  await dropAllConfigs(scope)
  await removeNetwork(scope)
}

async function removeNetwork({ docker, name, signal }: EdgeScope): Promise<void> {
  const deadline = performance.now() + NETWORK_MS
  for (;;) {
    try {
      await docker.getNetwork(name).remove({ abortSignal: signal })
      return
    } catch (error) {
      const { statusCode } = error as { statusCode?: number }
      if (statusCode === 404) return
      signal.throwIfAborted()
      // Services are still on it: it is theirs as well.
      if (performance.now() > deadline) return
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

function ignoreMissing(error: { statusCode?: number }): void {
  if (error.statusCode !== 404) throw error
}
