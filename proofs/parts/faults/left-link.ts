import { runInside } from '../../../lab/machine.ts'
import { engineAt } from '../../../test-kit/engine.ts'

type Link = { name: string; id: number; sandbox: string }

/** The links of a project's overlay networks, as the engine names them while it makes and removes them. */
export async function linksOf(socket: string, project: string): Promise<Link[]> {
  const found = await engineAt(socket).listNetworks({ filters: { label: [`slipway.project=${project}`] } })
  return found.flatMap(({ Id, Options }) => {
    const id = Number(Options?.['com.docker.network.driver.overlay.vxlanid_list'])
    const name = `vx-${id.toString(16).padStart(6, '0')}-${Id.slice(0, 5)}`
    return id > 0 ? [{ name, id, sandbox: `/var/run/docker/netns/1-${Id.slice(0, 10)}` }] : []
  })
}

/** What an engine leaves behind that ends half-way through taking a network down; for the time while there is no engine. */
export async function leaveLink(machine: string, { name, id, sandbox }: Link): Promise<void> {
  const add = ['ip', 'link', 'add', name, 'type', 'vxlan', 'id', String(id), 'dstport', '4789'] as const
  const inSandbox = (...argv: string[]) =>
    runInside(machine, 'nsenter', `--net=${sandbox}`, 'ip', 'link', 'set', ...argv)
  await runInside(machine, ...add).catch(async () => {
    // Its sandbox is still there, and has it.
    await inSandbox('vxlan0', 'down')
    await inSandbox('vxlan0', 'name', name)
    await inSandbox(name, 'netns', '1')
  })
}
