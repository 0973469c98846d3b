import Docker from 'dockerode'
import { until } from './until.ts'

export const engineAt = (socketPath: string) => new Docker({ socketPath })

/** What an instance has on an engine: its own and its edge's. */
export async function belongings(socketPath: string, instance: string) {
  const docker = engineAt(socketPath)
  const label = [`slipway.instance=${instance}`]
  const edge = `${instance}-edge`
  const [services, own, edges, networks, volumes, configs, images] = await Promise.all([
    docker.listServices(),
    docker.listContainers({ all: true, filters: { label } }),
    docker.listContainers({ all: true, filters: { label: [`slipway.edge.name=${edge}`] } }),
    docker.listNetworks(),
    docker.listVolumes(),
    docker.listConfigs(),
    docker.listImages({ filters: { label } }),
  ])
  const ours = (labels: Record<string, string> | undefined, name: string | undefined) =>
    labels?.['slipway.instance'] === instance || name === edge || name?.startsWith(`${edge}-`) === true
  return {
    services: services.filter((one) => ours(one.Spec?.Labels, one.Spec?.Name)),
    containers: [...own, ...edges],
    networks: networks.filter((one) => ours(one.Labels, one.Name)),
    volumes: (volumes.Volumes ?? []).filter((one) => ours(one.Labels, one.Name)),
    configs: configs.filter((one) => ours(one.Spec?.Labels, one.Spec?.Name)),
    images,
  }
}

/** Takes all of it away and waits until it is gone. */
export async function cleared(socketPath: string, instance: string): Promise<void> {
  const docker = engineAt(socketPath)
  await until(`nothing of ${instance} is left on the engine`, 60_000, async () => {
    const { services, containers, networks, volumes, configs, images } = await belongings(socketPath, instance)
    const all = [
      ...services.map((one) => docker.getService(one.ID)),
      ...containers.map((one) => ({ remove: () => docker.getContainer(one.Id).remove({ force: true }) })),
      ...networks.map((one) => docker.getNetwork(one.Id)),
      ...volumes.map((one) => docker.getVolume(one.Name)),
      ...configs.map((one) => docker.getConfig(one.ID)),
      ...images.map((one) => ({ remove: () => docker.getImage(one.Id).remove({ force: true }) })),
    ]
    // In use for as long as what was removed a moment ago is still going.
    for (const one of all) await one.remove().catch(() => {})
    return all.length === 0
  })
}
