import type Docker from 'dockerode'
import type { RegistryLogin } from '../../engine/registry-login.ts'
import { runtimeFailure } from '../failure.ts'
import { findService, serviceTasks } from '../find.ts'
import type { Guard } from '../guard.ts'
import { LABEL, type ServiceKey } from '../labels.ts'
import { updateRunning } from './apply.ts'
import { identityOf, isChanging, isLeaving } from './identity.ts'
import { isOutrun, updateService } from './write.ts'

export type Restarted = {
  did: 'restarted' | 'unchanged'
  deployment: string
  /** For the watch: the same deployment's tasks of before the restart do not count. */
  generation: number
}

export type RestartOptions = {
  instance: string
  /** The same token again finds the restart done. */
  token: string
  /** Gives the tasks to another deployment. */
  deployment: string | undefined
  guard: Guard | undefined
  /** What its image is fetched with from now on; undefined: with what it has. */
  login: RegistryLogin | null | undefined
}

const MOST_ATTEMPTS = 4

/** New tasks of the same spec, one after the other, as an update would do it. */
export async function restartService(
  docker: Docker,
  key: ServiceKey,
  options: RestartOptions,
  signal: AbortSignal,
): Promise<Restarted> {
  for (let attempt = 1; ; attempt++) {
    const current = await findService(docker, { ...key, instance: options.instance }, signal)
    if (!current || isLeaving(current))
      throw runtimeFailure('service_missing', `${key.service} does not run on this engine.`)
    const { deployment, generation } = identityOf(current.Spec.TaskTemplate)
    if (current.Spec.Labels?.[LABEL.restart] === options.token) {
      return { did: 'unchanged', deployment: deployment ?? '', generation }
    }
    if (isChanging(current, await serviceTasks(docker, current, signal))) {
      throw updateRunning(key, deployment)
    }
    try {
      const owner = options.deployment ?? deployment ?? ''
      const mark = { [LABEL.deployment]: owner }
      const { TaskTemplate: template, Labels, UpdateConfig: update, RollbackConfig: rollback } = current.Spec
      const container = template.ContainerSpec && {
        ...template.ContainerSpec,
        Labels: { ...template.ContainerSpec.Labels, ...mark },
      }
      const body = {
        ...current.Spec,
        Labels: { ...Labels, ...mark, [LABEL.restart]: options.token },
        // The last update may have had reasons of its own for another order and no way back; this one has not.
        ...(update &&
          rollback && { UpdateConfig: { ...update, Order: rollback.Order, FailureAction: 'rollback' as const } }),
        TaskTemplate: { ...template, ...(container && { ContainerSpec: container }), ForceUpdate: generation + 1 },
      }
      await options.guard?.()
      signal.throwIfAborted()
      await updateService(docker, current, body, options.login)
      return { did: 'restarted', deployment: owner, generation: generation + 1 }
    } catch (error) {
      if (!isOutrun(error) || attempt >= MOST_ATTEMPTS) throw error
    }
  }
}
