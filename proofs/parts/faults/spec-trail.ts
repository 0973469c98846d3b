import { engineAt } from '../../../test-kit/engine.ts'

type Spec = { TaskTemplate?: unknown; Labels?: Record<string, string> | undefined }
const taskOf = (spec: Spec | undefined) => JSON.stringify([spec?.TaskTemplate, spec?.Labels?.['slipway.deployment']])

/**
 * Follows what a project's service is told on its engine: the deployment of each task that differs from the one before, so that one
 * told twice, or forced anew, is there twice. The mark of one that is about to be removed changes no task.
 */
export function followSpec(socket: string, project: string) {
  const docker = engineAt(socket)
  const filters = { label: [`slipway.project=${project}`, 'slipway.service'] }
  const trail: string[] = []
  let last: string | undefined
  let stopped = false
  const look = async () => {
    const [service] = await docker.listServices({ filters }).catch(() => [undefined])
    const told = taskOf(service?.Spec)
    if (!service || told === last) return
    // Between two looks it was told something else.
    const skipped = last !== undefined && taskOf(service.PreviousSpec) !== last
    for (const spec of skipped ? [service.PreviousSpec, service.Spec] : [service.Spec]) {
      trail.push(spec?.Labels?.['slipway.deployment'] ?? 'nobody')
    }
    last = told
  }
  const following = (async () => {
    while (!stopped) {
      await look()
      await new Promise((next) => setTimeout(next, 80))
    }
  })()
  return {
    async stop(): Promise<string[]> {
      stopped = true
      await following
      await look()
      return trail
    },
  }
}
