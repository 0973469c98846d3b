import type Docker from 'dockerode'
import type { ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { pause } from '../../engine/ask.ts'
import type { Connections } from '../../engine/connections.ts'
import type { EngineTarget } from '../../engine/engine.ts'
import { type RuntimeFailure, runtimeFailure } from '../failure.ts'
import { tasksOf } from '../find.ts'
import { LABEL } from '../labels.ts'
import { servicesOf } from '../running/observe.ts'
import { claimedByBoth, claimsOf, claimsOfTask, claimsOnEngine } from './claims.ts'
import { isUnfinished } from './job.ts'
import type { ServiceSpec } from './spec.ts'

/** What is still being stopped, for whoever watches. */
export type Leaving = { services: string[]; containers: number }

/** Containers that were told to stop still run: the service cannot be started beside them. */
export class StillLeaving extends Error {
  readonly tasks: TaskAnswer[]

  constructor(tasks: TaskAnswer[]) {
    super('Containers that were told to stop still run.')
    this.tasks = tasks
  }
}

type Around = { instance: string; current: ServiceAnswer | undefined }

/**
 * Tasks on their way out that a new task must not run beside: those of a service that had the same name, and those that
 * hold a volume or a port that it wants. Whoever removed them may have been killed while it waited, and a container in its
 * grace period still writes. A service's own tasks are the engine's affair: it stops one before it starts the next.
 */
export async function leavingBefore(
  docker: Docker,
  spec: ServiceSpec,
  { instance, current }: Around,
  signal: AbortSignal,
): Promise<TaskAnswer[]> {
  const labels = { [LABEL.instance]: instance, [LABEL.project]: spec.project }
  const tasks = (await tasksOf(docker, labels, signal)).filter(
    (task) => isUnfinished(task) && task.ServiceID !== current?.ID,
  )
  if (tasks.length === 0) return []
  const services = new Map((await servicesOf(docker, labels, signal)).map((one) => [one.ID, one]))
  const wanted = claimsOf(spec)
  return tasks.filter((task) => {
    const service = services.get(task.ServiceID)
    // The engine marks the tasks of a removed service only a moment after it is gone.
    const isLeaving = !service || task.DesiredState === 'shutdown' || task.DesiredState === 'remove'
    if (!isLeaving) return false
    if (!service && serviceOf(task) === spec.service) return true
    // A service that keeps it shares it on purpose, and goes on with its next task anyway.
    if (service && claimedByBoth(wanted, claimsOnEngine(service.Spec)).length > 0) return false
    return claimedByBoth(wanted, claimsOfTask(task)).length > 0
  })
}

type Place = { connections: Connections; engine: EngineTarget; signal: AbortSignal }

const POLL_MS = 200
const LOOK_MS = 20_000
/** Beyond a container's own grace period: the engine kills it then, and cleans up after it. */
const BEYOND_MS = 60_000

/** Waits until these tasks have come to their end; their containers have then ended, too. */
export async function untilOver(
  { connections, engine, signal }: Place,
  { tasks, spec, instance, leastMs }: { tasks: TaskAnswer[]; spec: ServiceSpec; instance: string; leastMs: number },
): Promise<void> {
  const labels = { [LABEL.instance]: instance, [LABEL.project]: spec.project }
  const ids = new Set(tasks.map(({ ID }) => ID))
  const graceMs = Math.max(...tasks.map(({ Spec }) => (Spec.ContainerSpec?.StopGracePeriod ?? 0) / 1_000_000))
  const limitMs = Math.max(leastMs, graceMs + BEYOND_MS)
  const end = performance.now() + limitMs
  for (;;) {
    const all = await connections.use(engine, { signal, deadlineMs: LOOK_MS }, ({ docker }, within) =>
      tasksOf(docker, labels, within),
    )
    const left = all.filter((task) => ids.has(task.ID) && isUnfinished(task))
    if (left.length === 0) return
    if (performance.now() > end) throw stillStopping(left, spec, limitMs)
    await pause(POLL_MS, signal)
  }
}

export function leavingOf(tasks: TaskAnswer[]): Leaving {
  return { services: [...new Set(tasks.map(serviceOf))], containers: tasks.length }
}

const serviceOf = ({ Spec }: TaskAnswer): string => Spec.ContainerSpec?.Labels?.[LABEL.service] ?? ''

function stillStopping(tasks: TaskAnswer[], { service }: ServiceSpec, limitMs: number): RuntimeFailure {
  const { services, containers } = leavingOf(tasks)
  const what = containers === 1 ? 'a container' : `${containers} containers`
  const message = `${service} was not started: ${what} of ${services.join(', ')} did not end within ${Math.round(limitMs / 1000)} s, and both must not run at the same time.`
  return runtimeFailure('still_stopping', message)
}
