import { existsSync } from 'node:fs'
import { tried } from '../argv.ts'

export type Engine = {
  /** Whether a program called docker is there, and whether an engine answers it. */
  installed: boolean
  answers: boolean
  version: string
  containers: number
  snap: boolean
  rootless: boolean
  liveRestore: boolean
  /** What the engine cannot limit on this kernel. */
  lacks: string[]
  swarm: { state: string; manager: boolean; nodes: number }
  buildx: string | null
}

const BUILDX = [
  '/usr/libexec/docker/cli-plugins/docker-buildx',
  '/usr/lib/docker/cli-plugins/docker-buildx',
  '/usr/local/lib/docker/cli-plugins/docker-buildx',
  '/opt/slipway/tools/docker-buildx',
]

type Info = {
  ServerVersion?: string
  ContainersRunning?: number
  DockerRootDir?: string
  LiveRestoreEnabled?: boolean
  MemoryLimit?: boolean
  CpuCfsQuota?: boolean
  PidsLimit?: boolean
  SecurityOptions?: string[]
  Swarm?: { LocalNodeState?: string; ControlAvailable?: boolean; Nodes?: number }
}

export async function lookAtEngine(): Promise<Engine> {
  const installed = (await tried(['docker', '--version'])) !== null
  const said = installed ? await tried(['docker', 'info', '--format', '{{json .}}'], { deadlineMs: 30_000 }) : null
  return readEngine(installed, said === null ? null : parse(said), BUILDX.find((file) => existsSync(file)) ?? null)
}

/** With the engine away the client says its own part all the same, and ends well. */
function parse(text: string): Info | null {
  const info: Info = JSON.parse(text)
  return info.ServerVersion ? info : null
}

export function readEngine(installed: boolean, info: Info | null, buildx: string | null): Engine {
  const { MemoryLimit = true, CpuCfsQuota = true, PidsLimit = true, Swarm = {} } = info ?? {}
  return {
    installed,
    answers: info !== null,
    version: info?.ServerVersion ?? '',
    containers: info?.ContainersRunning ?? 0,
    snap: info?.DockerRootDir?.includes('/snap/') ?? false,
    rootless: info?.SecurityOptions?.some((option) => option.includes('rootless')) ?? false,
    liveRestore: info?.LiveRestoreEnabled ?? false,
    lacks: [!MemoryLimit && 'memory', !CpuCfsQuota && 'processors', !PidsLimit && 'processes'].filter(
      (one) => one !== false,
    ),
    swarm: {
      state: Swarm.LocalNodeState ?? 'inactive',
      manager: Swarm.ControlAvailable ?? false,
      nodes: Swarm.Nodes ?? 0,
    },
    buildx,
  }
}
