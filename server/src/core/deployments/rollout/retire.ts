import { frozenRelease } from '../release/load-release.ts'
import type { DeployContext } from '../story/deploy-context.ts'

/** Services of the release before that are no part of this one: no name leads to them any more. */
export async function retire(context: DeployContext, signal: AbortSignal): Promise<{ removed: string[] }> {
  const { parts, engine, deployment } = context
  const { services } = await frozenRelease(context)
  const isPart = (name: string) => services.some(({ service }) => service === name)
  const there = await parts.runtime.observe(engine, deployment.projectId, { signal })
  const gone = there.filter(({ service }) => !isPart(service))
  const guard = () => context.run.assertOwned()
  for (const { service, deployment: brought } of gone) {
    const options = { signal, guard, deployments: [brought] }
    await parts.runtime.remove(engine, { project: deployment.projectId, service }, options)
    context.events.write('service', { service, status: 'removed' })
  }
  return { removed: gone.map(({ service }) => service) }
}
