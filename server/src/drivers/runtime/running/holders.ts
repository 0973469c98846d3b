import type Docker from 'dockerode'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { serviceTasks } from '../find.ts'
import { LABEL } from '../labels.ts'
import { claimedByBoth, claimsOf, claimsOnEngine } from '../rollout/claims.ts'
import { identityOf } from '../rollout/identity.ts'
import { isJob, isUnfinished } from '../rollout/job.ts'
import type { ServiceSpec } from '../rollout/spec.ts'
import { servicesOf } from './observe.ts'

/** Another service of the project that has something which a spec needs for itself alone. */
export type Holder = {
  service: string
  deployment: string | null
  /** In words: "the volume data", "port 5432". */
  holds: string[]
}

/** A task that has not started yet takes its volume a moment later, so specs decide. */
export async function holdersOf(
  docker: Docker,
  spec: ServiceSpec,
  instance: string,
  signal: AbortSignal,
): Promise<Holder[]> {
  const wanted = claimsOf(spec)
  if (wanted.volumes.length + wanted.ports.length === 0) return []
  const services = await servicesOf(docker, { [LABEL.instance]: instance, [LABEL.project]: spec.project }, signal)
  const holders: Holder[] = []
  for (const one of services) {
    const service = one.Spec.Labels?.[LABEL.service]
    if (service === undefined || service === spec.service) continue
    const holds = specsOf(one).flatMap((each) => claimedByBoth(wanted, claimsOnEngine(each)))
    if (holds.length === 0 || (isJob(one.Spec) && !(await isAtWork(docker, one, signal)))) continue
    holders.push({ service, deployment: identityOf(one.Spec.TaskTemplate).deployment, holds: [...new Set(holds)] })
  }
  return holders
}

/** While an update is under way, or has stopped half way, tasks of both specs may run. */
export function specsOf({ Spec, PreviousSpec, UpdateStatus }: ServiceAnswer) {
  const isOver = [undefined, 'completed', 'rollback_completed'].includes(UpdateStatus?.State)
  return isOver || !PreviousSpec ? [Spec] : [Spec, PreviousSpec]
}

/** A job stays on the engine when it is over, and then holds nothing. */
async function isAtWork(docker: Docker, service: ServiceAnswer, signal: AbortSignal): Promise<boolean> {
  return (await serviceTasks(docker, service, signal)).some(isUnfinished)
}
