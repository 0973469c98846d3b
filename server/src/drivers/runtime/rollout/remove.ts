import type Docker from 'dockerode'
import { pause } from '../../engine/ask.ts'
import { findService, tasksOf } from '../find.ts'
import type { Guard } from '../guard.ts'
import { LABEL, type ServiceKey } from '../labels.ts'
import { identityOf, isLeaving } from './identity.ts'
import { takeAway } from './take-away.ts'

export type RemoveOptions = {
  instance: string
  /** Whose service it may be, as it was seen: one that is another deployment's by now stays. */
  deployments: (string | null)[] | 'any'
  guard?: Guard | undefined
  wait: boolean
}

/** Removes a service; its tasks get their grace period. Waiting matters to whoever removes its networks next. */
export async function removeService(
  docker: Docker,
  { project, service }: ServiceKey,
  { instance, deployments, guard, wait }: RemoveOptions,
  signal: AbortSignal,
): Promise<{ removed: boolean }> {
  const key = { instance, project, service }
  for (;;) {
    const found = await findService(docker, key, signal)
    if (found) {
      const { deployment } = identityOf(found.Spec.TaskTemplate)
      const isMeant = deployments === 'any' || deployments.includes(deployment) || isLeaving(found)
      if (!isMeant) return { removed: false }
      if ((await takeAway(docker, found, { guard, signal })) === 'changed') continue
    }
    if (wait) await waitUntilRemoved(docker, key, { serviceId: found?.ID, signal })
    return { removed: found !== undefined }
  }
}

/**
 * A task stays in the list until its container has ended. Without a service all of its tasks are leaving: somebody else
 * removed it. What is made meanwhile under the same name is not waited for.
 */
async function waitUntilRemoved(
  docker: Docker,
  { instance, project, service }: ServiceKey & { instance: string },
  { serviceId, signal }: { serviceId: string | undefined; signal: AbortSignal },
): Promise<void> {
  const labels = { [LABEL.instance]: instance, [LABEL.project]: project, [LABEL.service]: service }
  const list = () => tasksOf(docker, labels, signal)
  const leaving = (await list()).filter((task) => serviceId === undefined || task.ServiceID === serviceId)
  const ids = new Set(leaving.map(({ ID }) => ID))
  while (ids.size > 0 && (await list()).some(({ ID }) => ids.has(ID))) await pause(200, signal)
}
