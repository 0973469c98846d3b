import { setTimeout as sleep } from 'node:timers/promises'
import { bridgeOf, ROLE_LABEL, socketsOf } from './container.ts'
import { ignoreMissing } from './ensure.ts'
import { type EdgeScope, edgesOf } from './running.ts'

/** How long the engine may still hold on to what a container had that is gone. */
const RELEASE_MS = 5000
const POLL_MS = 200

export async function removeEdge(scope: EdgeScope): Promise<void> {
  const { docker, name, signal } = scope
  for (const { Id } of await edgesOf(scope)) {
    await docker.getContainer(Id).remove({ force: true, abortSignal: signal }).catch(ignoreMissing)
  }
  await whenFree(scope, () => docker.getVolume(name).remove({ abortSignal: signal }))
  // Gateways of projects that are still there hold these.
  await whenFree(scope, () => docker.getVolume(socketsOf(name)).remove({ abortSignal: signal }))
  await whenFree(scope, () => docker.getNetwork(bridgeOf(name)).remove({ abortSignal: signal }))
  for (const { ID } of await gatewayConfigs(scope)) {
    await docker
      .getConfig(ID)
      .remove()
      .catch(() => {})
  }
}

async function whenFree({ signal }: EdgeScope, remove: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + RELEASE_MS
  for (;;) {
    try {
      await remove()
      return
    } catch (error) {
      const { statusCode } = error as { statusCode?: number }
      signal.throwIfAborted()
      if (statusCode === 404 || performance.now() > deadline) return
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

async function gatewayConfigs({ docker, name, signal }: EdgeScope) {
  const all = await docker.listConfigs({ filters: { label: [`${ROLE_LABEL}=gateway`] }, abortSignal: signal })
  return all.filter(({ Spec }) => Spec?.Name?.startsWith(`${name}-gateway-`))
}
