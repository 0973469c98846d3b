import type Docker from 'dockerode'
import type { ContainerAnswer, NetworkAnswer, TaskAnswer } from '../../engine/answers.ts'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import { tasksOf } from '../find.ts'
import { having, LABEL } from '../labels.ts'
import { identityOf } from '../rollout/identity.ts'
import { imageNameOf } from '../rollout/image-reference.ts'
import { isUnfinished } from '../rollout/job.ts'
import { OF_THE_ENGINE, STUCK } from '../watch/diagnose.ts'
import { isDead } from '../watch/judge.ts'

export type RunningTask = {
  service: string
  deployment: string | null
  taskId: string
  /** Null before the container is made. */
  containerId: string | null
  image: string
  /** As the engine says it: pending, starting, running, … */
  state: string
  /** Null without a check, and where the container is on another node. */
  health: 'starting' | 'healthy' | 'unhealthy' | null
  /** Tasks of the same deployment that died in its place; the engine remembers five. */
  restarts: number
  /** The same one by one, and which of them the engine took with it when it was restarted. */
  deaths: { taskId: string; byEngine: boolean }[]
  node: string | null
  ports: { target: number; published: number; protocol: string }[]
  networks: string[]
  volumes: { name: string; target: string; readOnly: boolean }[]
  startedAt: string | null
  error: string | null
}

type Project = { instance: string; project: string }

/** The tasks of a project that run or are meant to. */
export async function projectTasks(docker: Docker, project: Project, signal: AbortSignal): Promise<RunningTask[]> {
  const labels = { [LABEL.instance]: project.instance, [LABEL.project]: project.project }
  const [all, containers, engineStart] = await Promise.all([
    tasksOf(docker, labels, signal),
    containersOf(docker, labels, signal),
    startOf(docker, signal),
  ])
  // The project's gateway is no service of its own.
  const tasks = all.filter(({ Spec }) => Spec.ContainerSpec?.Labels?.[LABEL.service] !== undefined)
  return tasks
    .filter((task) => task.DesiredState === 'running' || task.Status.State === 'running' || isRunningJob(task))
    .map((task) => describe(task, { tasks, containers, engineStart }))
}

/** A job's task is meant to be complete from the start. */
const isRunningJob = (task: TaskAnswer) => task.DesiredState === 'complete' && isUnfinished(task)

/** Containers on this engine's own machine. */
export function containersOf(
  docker: Docker,
  labels: Record<string, string>,
  signal: AbortSignal,
): Promise<ContainerAnswer[]> {
  return callEngine(docker, { path: '/containers/json', query: { filters: having(labels) } }, signal)
}

type Around = { tasks: TaskAnswer[]; containers: ContainerAnswer[]; engineStart: number }

function describe(task: TaskAnswer, { tasks, containers, engineStart }: Around): RunningTask {
  const { Spec, Status } = task
  const { deployment } = identityOf(Spec)
  const containerId = Status.ContainerStatus?.ContainerID || null
  const container = containers.find(({ Id }) => Id === containerId)
  const died = (other: TaskAnswer) =>
    other.ServiceID === task.ServiceID &&
    other.Slot === task.Slot &&
    isDead(other) &&
    identityOf(other.Spec).deployment === deployment
  const deaths = tasks.filter(died).map((other) => ({ taskId: other.ID, byEngine: isByEngine(other, engineStart) }))
  return {
    service: Spec.ContainerSpec?.Labels?.[LABEL.service] ?? '',
    deployment,
    taskId: task.ID,
    containerId,
    image: imageNameOf(Spec),
    state: Status.State,
    health: healthOf(container),
    restarts: deaths.length,
    deaths,
    node: task.NodeID ?? null,
    ports: portsOf(Status.PortStatus?.Ports),
    networks: (task.NetworksAttachments ?? []).map(({ Network }) => Network.Spec.Name),
    volumes: (Spec.ContainerSpec?.Mounts ?? [])
      .filter(({ Type }) => Type === 'volume')
      .map(({ Source = '', Target, ReadOnly = false }) => ({ name: Source, target: Target, readOnly: ReadOnly })),
    startedAt: container ? new Date(container.Created * 1000).toISOString() : null,
    error: Status.Err || null,
  }
}

/** An engine that comes back finds out within this what ended with it. */
const BACK_MS = 15_000

/** Ended by a restart of its engine; of several restarts only the last one is known. */
function isByEngine({ Status }: TaskAnswer, engineStart: number): boolean {
  if (OF_THE_ENGINE.test(Status.Err ?? '') || STUCK.test(Status.Err ?? '')) return true
  return Math.abs(Date.parse(Status.Timestamp ?? '') - engineStart) < BACK_MS
}

/** When the engine was started, by its own clock: it does not say so, but makes its bridge anew each time. */
async function startOf(docker: Docker, signal: AbortSignal): Promise<number> {
  const bridge = await unlessMissing(callEngine<NetworkAnswer>(docker, { path: '/networks/bridge' }, signal))
  return Date.parse(bridge?.Created ?? '')
}

type PortAnswer = { TargetPort: number; PublishedPort: number; Protocol: string }

/** The engine names an open port once for each address family; it is one port. */
function portsOf(ports: PortAnswer[] = []): RunningTask['ports'] {
  const named = ports.map(({ TargetPort, PublishedPort, Protocol }) => {
    return [
      `${PublishedPort}/${Protocol}`,
      { target: TargetPort, published: PublishedPort, protocol: Protocol },
    ] as const
  })
  return [...new Map(named).values()]
}

function healthOf(container: ContainerAnswer | undefined): RunningTask['health'] {
  const word = /\((?:health: )?(starting|healthy|unhealthy)\)/.exec(container?.Status ?? '')?.[1]
  return (word as RunningTask['health'] | undefined) ?? null
}
