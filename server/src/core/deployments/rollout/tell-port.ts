import type { PortWait } from '../../../drivers/runtime/watch/listening.ts'
import type { DeployContext } from '../deploy-context.ts'
import { patchService } from '../rows/services-store.ts'

/**
 * Tells in a service's state which port is waited for, and in words what it listens on instead. `again`: an owner before this
 * one may have said something that holds no more.
 */
export function portTeller({ run, events }: Pick<DeployContext, 'run' | 'events'>, service: string, again: boolean) {
  let told = again ? '' : JSON.stringify(null)
  let writing: Promise<unknown> = Promise.resolve()

  const see = (waitingFor: PortWait | null): void => {
    const now = JSON.stringify(waitingFor)
    if (now === told) return
    told = now
    // Whoever has lost the run learns it from a write that matters.
    writing = writing.then(() => run.write((tx) => patchService(tx, run.id, service, { waitingFor }))).catch(() => {})
    const line = waitingFor && inWords(waitingFor)
    if (line !== null) events.writeOnce(`${service} ${line}`, { service, step: 'rollout', stream: 'stdout', line })
  }

  return {
    see,
    async end(): Promise<void> {
      see(null)
      await writing
    },
  }
}

/** One that listens nowhere yet is about to start, mostly. */
function inWords({ port, open }: PortWait): string | null {
  if (open.length === 0) return null
  const list = open.map((one) => `${one.port}${one.local ? ' (127.0.0.1 only)' : ''}`).join(', ')
  return `Nothing that others can reach listens on port ${port} yet; the service listens on ${list}.`
}
