import { until } from '../../../server/src/drivers/edge/bench.ts'
import { engineAt } from '../engine.ts'

type Edge = { socket: string; instance: string }

/** Another task in the place of the edge's, as the engine does it on an upgrade; returns when it is healthy. */
export async function replaceEdge({ socket, instance }: Edge): Promise<void> {
  const docker = engineAt(socket)
  const name = `${instance}-edge`
  const old = await containersOf(docker, name)
  const [service] = await docker.listServices({ filters: { name: [name] } })
  if (!service?.Spec) throw new Error('there is no edge')
  const spec = structuredClone(service.Spec) as { TaskTemplate: { ForceUpdate?: number } }
  spec.TaskTemplate.ForceUpdate = (spec.TaskTemplate.ForceUpdate ?? 0) + 1
  await docker.getService(service.ID).update({ _query: { version: service.Version?.Index }, _body: spec })
  await until('another container runs', 60, async () => {
    const now = await containersOf(docker, name)
    return now.length > 0 && !now.some((id) => old.includes(id))
  })
}

export async function containersOf(docker: ReturnType<typeof engineAt>, name: string): Promise<string[]> {
  const filters = { label: [`com.docker.swarm.service.name=${name}`], status: ['running'] }
  return (await docker.listContainers({ filters })).map(({ Id }) => Id)
}
