import { engineAt } from '../../test-kit/engine.ts'

/** What shows that an edge was neither replaced nor given another configuration. */
export type EdgeFacts = { container: string; startedAt: string; restarts: number; loadedAt: string; loads: number }

/** Of the running edge of an instance: its container, and what Caddy itself says about configurations it has taken. */
export async function edgeFacts(socketPath: string, instance: string): Promise<EdgeFacts> {
  const docker = engineAt(socketPath)
  const filters = { label: [`slipway.edge.name=${instance}-edge`], status: ['running'] }
  const [found, ...others] = await docker.listContainers({ filters })
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} edges run`)
  const container = docker.getContainer(found.Id)
  const { State, RestartCount } = await container.inspect()
  const log = String(await container.logs({ stdout: true, stderr: true }))
  return {
    container: found.Id,
    startedAt: State.StartedAt,
    restarts: RestartCount,
    loadedAt: await lastLoad(socketPath, found.Id),
    loads: log.match(/serving initial configuration|load complete|config is unchanged|"\/load"/g)?.length ?? 0,
  }
}

/** The admin endpoint is reachable only from inside. */
async function lastLoad(socketPath: string, id: string): Promise<string> {
  const docker = engineAt(socketPath)
  const exec = await docker.getContainer(id).exec({
    Cmd: ['wget', '-q', '-O', '-', 'http://127.0.0.1:2019/metrics'],
    AttachStdout: true,
    Tty: true,
  })
  const stream = await exec.start({ Tty: true })
  let text = ''
  for await (const part of stream) text += part
  const line = /^caddy_config_last_reload_success_timestamp_seconds (\S+)/m.exec(text)?.[1]
  if (line === undefined) throw new Error('the edge does not say when its configuration was loaded')
  return line
}

export const sameEdge = (before: EdgeFacts, after: EdgeFacts): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
