import type Docker from 'dockerode'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import type { Guard } from '../guard.ts'
import { LABEL } from '../labels.ts'
import { isLeaving } from './identity.ts'
import { isJob } from './job.ts'
import { isOutrun, updateService } from './write.ts'

/**
 * Removes a service as it was looked at, and no other. The engine's DELETE knows no version: whoever is stopped right before
 * it would remove what a newer owner has made of the same service meanwhile. So the service is first marked as leaving, with
 * the version that was seen, which the engine refuses if anything has changed. One that is marked is never updated again but
 * removed by whoever meets it and made anew: then a late DELETE finds an id that is gone. A job would run once more for
 * being marked; jobs are never updated, so their id is enough.
 */
export async function takeAway(
  docker: Docker,
  service: ServiceAnswer,
  { guard, signal }: { guard?: Guard | undefined; signal: AbortSignal },
): Promise<'gone' | 'changed'> {
  await guard?.()
  signal.throwIfAborted()
  try {
    if (!isLeaving(service) && !isJob(service.Spec)) await updateService(docker, service, leaving(service))
  } catch (error) {
    if (isOutrun(error)) return 'changed'
    throw error
  }
  await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/services/${service.ID}` }, signal))
  return 'gone'
}

const leaving = ({ Spec }: ServiceAnswer) => ({ ...Spec, Labels: { ...Spec.Labels, [LABEL.leaving]: 'true' } })
