import type { EngineFacts } from './engine.ts'

/** What of the engine's `/version` is used. */
export type VersionAnswer = {
  Version: string
  ApiVersion: string
  MinAPIVersion?: string
  Arch?: string
  Os?: string
  Components?: { Name: string; Version: string }[]
}

/** What of the engine's `/info` is used. */
export type InfoAnswer = {
  OperatingSystem?: string
  Architecture?: string
  KernelVersion?: string
  NCPU?: number
  MemTotal?: number
  CgroupVersion?: string
  Driver?: string
  DockerRootDir?: string
  ContainersRunning?: number
  Images?: number
  Swarm?: { LocalNodeState?: string; NodeID?: string; ControlAvailable?: boolean; Nodes?: number; Error?: string }
}

export function engineFacts(version: VersionAnswer, info: InfoAnswer): EngineFacts['engine'] {
  return {
    version: version.Version,
    apiVersion: version.ApiVersion,
    runc: version.Components?.find(({ Name }) => Name === 'runc')?.Version ?? null,
    os: info.OperatingSystem || version.Os || '',
    arch: version.Arch || info.Architecture || '',
    kernel: info.KernelVersion ?? '',
    cpus: info.NCPU ?? 0,
    memoryBytes: info.MemTotal ?? 0,
    // 20.10 on cgroup v1 may leave it out.
    cgroupVersion: info.CgroupVersion || '1',
    storageDriver: info.Driver ?? '',
    rootDir: info.DockerRootDir ?? '',
  }
}

export function swarmFacts({ Swarm: swarm = {} }: InfoAnswer): EngineFacts['swarm'] {
  const isManager = swarm.ControlAvailable === true
  return {
    state: swarmStates.find((state) => state === swarm.LocalNodeState) ?? 'inactive',
    nodeId: swarm.NodeID || null,
    isManager,
    nodes: isManager ? (swarm.Nodes ?? null) : null,
    error: swarm.Error || null,
  }
}

const swarmStates = ['inactive', 'pending', 'active', 'error', 'locked'] as const

/** /proc/meminfo; null when it does not say what we need. */
export function memoryFacts(meminfo: string): EngineFacts['memory'] {
  const bytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  }
  const totalBytes = bytes('MemTotal')
  const availableBytes = bytes('MemAvailable')
  return totalBytes === null || availableBytes === null ? null : { totalBytes, availableBytes }
}

/** The ports of /proc/net/tcp or tcp6 in state 0A (listening). The kernel lists these first, so a cut table has them all. */
export function listeningPorts(table: string): number[] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words[3] === '0A')
    .map((words) => Number.parseInt(words[1]?.split(':')[1] ?? '', 16))
    .filter((port) => port > 0)
}
