import type Docker from 'dockerode'
import { LABEL } from '../labels.ts'
import { identityOf, isLeaving } from '../rollout/identity.ts'
import { isJob } from '../rollout/job.ts'
import { type ServiceSpec, specHash } from '../rollout/spec.ts'
import { servicesOf } from './observe.ts'

/** All that runs on an engine, read at once. */
export type Survey = {
  /** Projects that have a service there. */
  projects: string[]
  /** Whether a project has exactly these services. Jobs are over: whether one is still there says nothing. */
  has(project: string, services: ServiceSpec[]): boolean
}

type Seen = { service: string; name: string; job: boolean }

export async function surveyEngine(docker: Docker, instance: string, signal: AbortSignal): Promise<Survey> {
  const byProject = new Map<string, Seen[]>()
  for (const { Spec } of await servicesOf(docker, { [LABEL.instance]: instance }, signal)) {
    const { [LABEL.project]: project, [LABEL.service]: service } = Spec.Labels ?? {}
    if (project === undefined || service === undefined) continue
    // On its way out, whoever was at it: what should be there has to be made anew.
    const going = isLeaving({ Spec }) ? ' leaving' : ''
    const { deployment, specHash: hash } = identityOf(Spec.TaskTemplate)
    const seen = { service, name: `${deployment} ${hash}${going}`, job: isJob(Spec) }
    byProject.set(project, [...(byProject.get(project) ?? []), seen])
  }
  return {
    projects: [...byProject.keys()],
    has(project, services) {
      const there = (byProject.get(project) ?? []).filter(({ job }) => !job)
      const wanted = services.filter(({ job }) => !job)
      const isThere = (spec: ServiceSpec) =>
        there.some(({ service, name }) => service === spec.service && name === `${spec.deployment} ${specHash(spec)}`)
      return there.length === wanted.length && wanted.every(isThere)
    },
  }
}
