import { engineAt } from '../../../test-kit/engine.ts'

/** Follows which deployment a project's service has on its engine: each name that is new is one rollout. */
export function followSpec(socket: string, project: string) {
  const docker = engineAt(socket)
  const filters = { label: [`slipway.project=${project}`, 'slipway.service'] }
  const trail: string[] = []
  let stopped = false
  const look = async () => {
    const [service] = await docker.listServices({ filters }).catch(() => [undefined])
    const id = service?.Spec?.Labels?.['slipway.deployment']
    if (id !== undefined && trail.at(-1) !== id) trail.push(id)
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
