import { caddyEdge } from '../../../server/src/drivers/edge/caddy.ts'
import { engineAt } from '../../../test-kit/engine.ts'

type Edge = { socket: string; instance: string }

/** The same program under two names: to the platform the second is an upgrade. */
const IMAGES = ['caddy:2', 'caddy:2-alpine']

/** Another container in the place of the edge's, as the platform does it on an upgrade; returns when it is healthy. */
export async function replaceEdge({ socket, instance }: Edge): Promise<void> {
  const docker = engineAt(socket)
  const name = `${instance}-edge`
  const [id] = await containersOf(docker, name)
  if (id === undefined) throw new Error('there is no edge')
  const { Config, HostConfig } = await docker.getContainer(id).inspect()
  const portOf = (inside: string) => {
    const bound = HostConfig.PortBindings as Record<string, { HostPort: string }[] | undefined>
    return Number(bound[inside]?.[0]?.HostPort)
  }
  const image = IMAGES.find((one) => one !== Config.Image) ?? ''
  const settings = { image, instance, httpPort: portOf('80/tcp'), httpsPort: portOf('443/tcp') }
  const engine = { connect: async () => ({ docker, explain: async (error: unknown) => error, close: () => {} }) }
  const done = await caddyEdge(engine, { name }).ensure(null, settings)
  if (done !== 'replaced') throw new Error(`the edge was ${done}`)
}

export async function containersOf(docker: ReturnType<typeof engineAt>, name: string): Promise<string[]> {
  const filters = { label: [`slipway.edge.name=${name}`], status: ['running'] }
  return (await docker.listContainers({ filters })).map(({ Id }) => Id)
}
