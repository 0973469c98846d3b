import { hostname } from 'node:os'
import { isFailure } from '../../errors.ts'
import { askEngine } from './ask.ts'
import type { EngineConnection } from './connect.ts'
import type { EngineFacts } from './engine.ts'
import { engineFacts, type InfoAnswer, listeningPorts, memoryFacts, swarmFacts } from './facts.ts'
import { type HostReader, localHost } from './host.ts'

/** All facts of a connected engine, read side by side. */
export async function gather(connection: EngineConnection, signal: AbortSignal): Promise<EngineFacts> {
  const { docker, version, host, hostKey } = connection
  const notes: string[] = []
  const optional = async <T>(what: string, work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      // A read may fail; a connection that is gone takes the whole check with it.
      if (signal.aborted || isFailure(error, 'ssh', 'connection_lost')) throw error
      notes.push(`${what}: ${error instanceof Error ? error.message : error}`)
      return null
    }
  }
  const info = askEngine<InfoAnswer>(docker, '/info', signal)
  const [answer, disk, memory, ports, nameServers] = await Promise.all([
    info,
    info.then(({ DockerRootDir }) => readDisk(host, DockerRootDir || '/', optional)),
    optional('Memory is unknown', readMemory(host)),
    optional('Listening ports are unknown', readPorts(connection, signal)),
    optional('Name servers are unknown', readNameServers(host)),
  ])
  return {
    hostKey,
    engine: engineFacts(version, answer),
    swarm: swarmFacts(answer),
    disk,
    memory,
    listeningPorts: ports,
    nameServers,
    containersRunning: answer.ContainersRunning ?? 0,
    images: answer.Images ?? 0,
    notes,
  }
}

type Optional = <T>(what: string, work: Promise<T>) => Promise<T | null>

async function readDisk(host: HostReader, rootDir: string, optional: Optional): Promise<EngineFacts['disk']> {
  const own = await optional(`Disk space is that of / and not of ${rootDir}`, host.diskSpace(rootDir))
  if (own) return { path: rootDir, ...own }
  const root = await optional('Disk space is unknown', host.diskSpace('/'))
  return root && { path: '/', ...root }
}

async function readMemory(host: HostReader): Promise<EngineFacts['memory']> {
  const memory = memoryFacts((await host.readFile('/proc/meminfo', 65_536)).toString())
  if (!memory) throw new Error('/proc/meminfo does not say it.')
  return memory
}

/** Where a local resolver stands between, whom that one asks is what containers are told. */
async function readNameServers(host: HostReader): Promise<string[]> {
  const read = async (path: string) => {
    const text = (await host.readFile(path, 65_536)).toString()
    return [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address)
  }
  const own = await read('/etc/resolv.conf')
  const behind = await read('/run/systemd/resolve/resolv.conf').catch(() => [])
  return [...new Set([...own, ...behind])]
}

async function readPorts({ docker, host }: EngineConnection, signal: AbortSignal): Promise<number[]> {
  if (host === localHost && (await runsInContainer(docker, signal))) {
    throw new Error('Slipway runs in a container and sees only its own.')
  }
  const read = async (path: string) => listeningPorts((await host.readFile(path, 4_000_000)).toString())
  // There is no tcp6 on a machine without IPv6.
  const [four, six] = await Promise.all([read('/proc/net/tcp'), read('/proc/net/tcp6').catch(() => [])])
  return [...new Set([...four, ...six])].sort((a, b) => a - b)
}

/** A container's host name is its id unless it shares the host's network, and then its ports are the host's. */
async function runsInContainer(docker: EngineConnection['docker'], signal: AbortSignal): Promise<boolean> {
  return askEngine(docker, `/containers/${encodeURIComponent(hostname())}/json`, signal).then(
    () => true,
    () => false,
  )
}
