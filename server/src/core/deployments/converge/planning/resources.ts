import type { Claims } from '../../../../drivers/runtime/rollout/claims.ts'
import type { ServiceSpec } from '../../../../drivers/runtime/rollout/spec.ts'
import type { Resource, Spec } from './operation.ts'

/**
 * Whether both cannot be had at the same time. Ids end where the name does, and a folder of a volume is written below it: two
 * clash where one begins with the other.
 */
export const clash = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a)

const volumeId = (name: string, subpath: string | null | undefined): string =>
  ['volume', ` ${name}/`, ...(subpath ?? '').split('/').flatMap((part) => (part === '' ? [] : [`${part}/`]))].join('')

const portId = (published: number, protocol: string): string => `port ${published}/${protocol}`

/** Of a service or a task as the engine has it. Whether volumes could be shared is for whoever wants them to say. */
export const claimIds = ({ volumes, ports }: Claims): string[] => [
  ...volumes.map(({ name, subpath }) => volumeId(name, subpath)),
  ...ports.map(({ published, protocol }) => portId(published, protocol)),
]

/** Volumes that are declared safe for two writers are held, and not needed for itself alone. */
export function resourcesOf({ volumes, ports = [], canShare = false }: ServiceSpec): Pick<Spec, 'needs' | 'holds'> {
  const written = volumes
    .filter(({ readOnly }) => !readOnly)
    .map(({ name, subpath, key = name }): Resource => ({ id: volumeId(name, subpath), label: `the volume ${key}` }))
  const opened = ports.map(
    ({ published, protocol }): Resource => ({ id: portId(published, protocol), label: `port ${published}` }),
  )
  return { needs: [...(canShare ? [] : written), ...opened], holds: [...written, ...opened].map(({ id }) => id) }
}

/** Two of it cannot stand beside each other: the same rule by which the runtime renders it. */
export function stopsFirst({ order, volumes, binds = [], ports = [], canShare = false }: ServiceSpec): boolean {
  const writes = !canShare && [...volumes, ...binds].some(({ readOnly }) => !readOnly)
  return order === 'stop-first' || writes || ports.length > 0
}
