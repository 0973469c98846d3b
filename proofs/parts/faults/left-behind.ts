import { engineAt } from '../../../test-kit/engine.ts'
import { fileOfProcess, pids } from '../../../test-kit/processes.ts'

export type Task = { id: string; deployment: string; state: string; desired: string; slot: number }
type TaskAnswer = {
  ID: string
  Slot: number
  DesiredState: string
  Status: { State: string }
  Spec: { ContainerSpec: { Labels?: Record<string, string> } }
}

/** The tasks of a project that the engine remembers, dead ones too. */
export async function tasksOf(socket: string, project: string): Promise<Task[]> {
  const filters = { label: [`slipway.project=${project}`, 'slipway.service'] }
  const found = (await engineAt(socket).listTasks({ filters })) as TaskAnswer[]
  return found.map(({ ID, Slot, DesiredState, Status, Spec }) => ({
    id: ID,
    slot: Slot,
    deployment: Spec.ContainerSpec.Labels?.['slipway.deployment'] ?? '',
    state: Status.State,
    desired: DesiredState,
  }))
}

export const isServing = (task: Task) => task.state === 'running' && task.desired === 'running'

/** What of a deployment, or of a project that never had a release, is still there: on its engine, and as processes here. */
export async function leftBehind(
  socket: string,
  { id, project, first }: { id: string; project: string; first: boolean },
) {
  const docker = engineAt(socket)
  const label = [first ? `slipway.project=${project}` : `slipway.deployment=${id}`]
  const [services, containers, networks, images] = await Promise.all([
    docker.listServices({ filters: { label } }),
    docker.listContainers({ all: true, filters: { label } }),
    docker.listNetworks({ filters: { label } }),
    docker.listImages({ filters: { reference: [`slipway.invalid/${project.replace(/_/g, '-')}`] } }),
  ])
  const own = images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.includes(id.replace(/_/g, '-')))
  return [
    ...services.map(({ Spec }) => `service ${Spec?.Name}`),
    ...containers.map(({ Names }) => `container ${Names[0]}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...own.map((tag) => `image ${tag}`),
    ...buildsOf(id).map((pid) => `build process ${pid}`),
  ]
}

/** Processes of this machine that build for a deployment, or for any of an instance. */
export const buildsOf = (word: string) =>
  pids().filter((pid) => new RegExp(`(^|\\0)SLIPWAY_BUILD=[^\\0]*${word}`).test(fileOfProcess(pid, 'environ')))
