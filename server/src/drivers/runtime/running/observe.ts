import type Docker from 'dockerode'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { having, LABEL, type ServiceKey } from '../labels.ts'
import { wantedOf } from '../rollout/grow.ts'
import { identityOf } from '../rollout/identity.ts'
import { imageNameOf } from '../rollout/image-reference.ts'
import { isJob } from '../rollout/job.ts'

export type ObservedService = {
  service: string
  deployment: string | null
  /** Compare it with the wanted spec's: equal means unchanged. */
  specHash: string | null
  image: string
  /** Runs to its end; `replicas` are then the tasks that have not come to it. */
  job: boolean
  replicas: { wanted: number; running: number }
  /** The engine is still moving it, forward or back. */
  updating: boolean
}

/** What the engine has of a project, in one question; `snapshot.ts` asks for more. */
export async function observeProject(
  docker: Docker,
  { instance, project }: { instance: string; project: string },
  signal: AbortSignal,
): Promise<ObservedService[]> {
  const services = await servicesOf(docker, { [LABEL.instance]: instance, [LABEL.project]: project }, signal)
  // The project's gateway is no service of its own.
  const own = services.filter(({ Spec }) => Spec.Labels?.[LABEL.service] !== undefined)
  return own.map(observedOf)
}

export function observedOf({ Spec, UpdateStatus, ServiceStatus }: ServiceAnswer): ObservedService {
  const { deployment, specHash } = identityOf(Spec.TaskTemplate)
  return {
    service: Spec.Labels?.[LABEL.service] ?? '',
    deployment,
    specHash,
    image: imageNameOf(Spec.TaskTemplate),
    job: isJob(Spec),
    replicas: {
      wanted: isJob(Spec) ? (ServiceStatus?.DesiredTasks ?? 0) : wantedOf({ Spec }),
      running: ServiceStatus?.RunningTasks ?? 0,
    },
    updating: UpdateStatus?.State === 'updating' || UpdateStatus?.State === 'rollback_started',
  }
}

/** Raw packets let a container speak for its neighbours; every spec of today drops them. */
export async function overprivileged(docker: Docker, instance: string, signal: AbortSignal): Promise<ServiceKey[]> {
  const services = await servicesOf(docker, { [LABEL.instance]: instance }, signal)
  return services.flatMap(({ Spec }) => {
    const { [LABEL.project]: project, [LABEL.service]: service } = Spec.Labels ?? {}
    const dropped = Spec.TaskTemplate.ContainerSpec?.CapabilityDrop ?? []
    const held = !dropped.includes('CAP_NET_RAW') && !dropped.includes('ALL')
    return held && project !== undefined && service !== undefined ? [{ project, service }] : []
  })
}

export function servicesOf(
  docker: Docker,
  labels: Record<string, string>,
  signal: AbortSignal,
): Promise<ServiceAnswer[]> {
  return callEngine(docker, { path: '/services', query: { filters: having(labels), status: true } }, signal)
}
