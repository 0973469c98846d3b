import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type AddressPools, dockerRuns, loadImages, restartDocker, socketOf, startDocker } from '../docker.ts'
import { type Machine, startMachine } from '../machine.ts'
import { partDir, stateDir } from '../paths.ts'
import { type EnginePart, readLab, record } from '../state.ts'
import { tool } from '../tools.ts'
import { imageMarker, makeImages } from './images.ts'

/** The engine most tests use, on a machine of its own with the number 0. */
export async function upEngine(): Promise<string> {
  const running = readLab().engine
  if (running && engineRuns()) {
    await bringImages(running.socket) // they may have changed since
    return describeEngine(running)
  }
  const machine = await startMachine('engine', 0)
  const part = await furnishEngine(machine)
  record({ engine: part })
  return describeEngine(part)
}

export async function restartEngine(): Promise<string> {
  const part = readLab().engine
  if (!part) throw new Error('engine was not started: run bin/lab up engine')
  await restartDocker('engine', partDir('engine'))
  return describeEngine(part)
}

export function engineRuns(): boolean {
  return dockerRuns('engine')
}

/** What every machine with an engine gets: dockerd, a Swarm of one, the base images. */
export async function furnishEngine(machine: Machine, pools?: AddressPools): Promise<EnginePart> {
  const socket = socketOf(machine.dir)
  await startDocker(machine, pools)
  await bringImages(socket)
  return {
    dockerHost: `unix://${socket}`,
    socket,
    address: machine.address,
    gateway: machine.network.gateway,
    dockerConfig: dockerConfig(),
    docker: tool('docker'),
    buildx: tool('docker-buildx'),
    log: join(machine.dir, 'dockerd.log'),
  }
}

export async function bringImages(socket: string): Promise<void> {
  await loadImages(socket, await makeImages(), imageMarker())
}

function describeEngine(part: EnginePart): string {
  return `${part.dockerHost}, ports at ${part.address}`
}

/** A stable configuration folder with the plugins; never the one of the user who runs the tests. */
function dockerConfig(): string {
  const dir = join(stateDir, 'docker-config')
  mkdirSync(join(dir, 'cli-plugins'), { recursive: true })
  for (const plugin of ['docker-buildx', 'docker-compose']) {
    const link = join(dir, 'cli-plugins', plugin)
    if (!existsSync(link)) symlinkSync(tool(plugin), link)
  }
  return dir
}
