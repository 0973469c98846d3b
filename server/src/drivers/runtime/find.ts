import type Docker from 'dockerode'
import type { ServiceAnswer, TaskAnswer } from '../engine/answers.ts'
import { callEngine, unlessMissing } from '../engine/ask.ts'
import { runtimeFailure } from './failure.ts'
import { having, LABEL, type ServiceKey, serviceName } from './labels.ts'

/** The engine's service of that name, if it is there. One that Slipway did not make is a failure. */
export async function findService(
  docker: Docker,
  { instance, ...key }: ServiceKey & { instance: string },
  signal: AbortSignal,
): Promise<ServiceAnswer | undefined> {
  const name = serviceName(instance, key)
  const found = await unlessMissing(callEngine<ServiceAnswer>(docker, { path: `/services/${name}` }, signal))
  if (found === undefined) return undefined
  const labels = found.Spec.Labels ?? {}
  if (
    labels[LABEL.instance] !== instance ||
    labels[LABEL.project] !== key.project ||
    labels[LABEL.service] !== key.service
  ) {
    throw runtimeFailure('name_taken', `The engine has a service ${name} that Slipway did not make.`)
  }
  return found
}

/**
 * All tasks with these labels that the engine remembers, the dead ones too. By label, because a task outlives its service
 * and a service that is gone cannot be filtered for.
 */
export function tasksOf(docker: Docker, labels: Record<string, string>, signal: AbortSignal): Promise<TaskAnswer[]> {
  return callEngine(docker, { path: '/tasks', query: { filters: having(labels) } }, signal)
}

/** The tasks of a service, without those of one that had its name before. */
export async function serviceTasks(
  docker: Docker,
  { ID, Spec }: ServiceAnswer,
  signal: AbortSignal,
): Promise<TaskAnswer[]> {
  const tasks = await tasksOf(docker, namesOf(Spec.Labels ?? {}), signal)
  return tasks.filter(({ ServiceID }) => ServiceID === ID)
}

function namesOf(labels: Record<string, string>): Record<string, string> {
  const names = [LABEL.instance, LABEL.project, LABEL.service]
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? '']))
}
