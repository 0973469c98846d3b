import type { SwarmSpec, TaskAnswer } from '../../engine/answers.ts'
import type { ServiceSpec } from './spec.ts'

/** What only one service can have at a time: a volume that it writes to, a port of the machine. */
export type Claims = {
  /** `key`: what the project calls it, where that is known. */
  volumes: { name: string; subpath: string | null; key?: string }[]
  ports: { published: number; protocol: string }[]
}

/** Of a spec that is wanted. Volumes that are declared safe for two writers are not claimed. */
export const claimsOf = ({ volumes, ports = [], canShare = false }: ServiceSpec): Claims => ({
  volumes: volumes
    .filter(({ readOnly }) => !readOnly && !canShare)
    .map(({ name, subpath = null, key }) => ({ name, subpath, ...(key !== undefined && { key }) })),
  ports: ports.map(({ published, protocol }) => ({ published, protocol })),
})

/** Of a service as the engine has it. Whether its volumes could be shared is for whoever wants them to say. */
export const claimsOnEngine = ({ TaskTemplate, EndpointSpec }: SwarmSpec): Claims => ({
  volumes: written(TaskTemplate),
  ports: (EndpointSpec?.Ports ?? []).map(({ PublishedPort, Protocol }) => ({
    published: PublishedPort,
    protocol: Protocol,
  })),
})

export const claimsOfTask = ({ Spec, Status }: TaskAnswer): Claims => ({
  volumes: written(Spec),
  ports: (Status.PortStatus?.Ports ?? []).map(({ PublishedPort, Protocol }) => ({
    published: PublishedPort,
    protocol: Protocol,
  })),
})

/** What both claim, in words: "the volume data", "port 5432". */
export function claimedByBoth(wanted: Claims, held: Claims): string[] {
  const volumes = wanted.volumes.filter((one) => held.volumes.some((other) => overlaps(one, other)))
  const ports = wanted.ports.filter(({ published, protocol }) =>
    held.ports.some((other) => other.published === published && other.protocol === protocol),
  )
  const words = [
    ...volumes.map(({ name, key = name }) => `the volume ${key}`),
    ...ports.map(({ published }) => `port ${published}`),
  ]
  return [...new Set(words)]
}

type Part = Claims['volumes'][number]

/** A volume as a whole, or a folder of it: one folder may lie in the other. */
function overlaps(a: Part, b: Part): boolean {
  if (a.name !== b.name) return false
  const [x, y] = [a, b].map(({ subpath }) => `${(subpath ?? '').split('/').filter(Boolean).join('/')}/`) as [
    string,
    string,
  ]
  return x === '/' || y === '/' || x.startsWith(y) || y.startsWith(x)
}

const written = ({ ContainerSpec }: SwarmSpec['TaskTemplate']): Claims['volumes'] =>
  (ContainerSpec?.Mounts ?? [])
    .filter(({ Type, ReadOnly = false, Source }) => Type === 'volume' && !ReadOnly && Source)
    .map(({ Source = '', VolumeOptions }) => ({ name: Source, subpath: VolumeOptions?.Subpath ?? null }))
