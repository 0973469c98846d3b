import type { MemoryVolume, ServiceSpec, VolumeMount } from '../rollout/spec.ts'

type Refuse = (message: string) => void

/** All that a volume of a spec may say. A release of old may say more, and what it says was handed to mount(2). */
const KNOWN: ReadonlySet<string> = new Set<keyof VolumeMount>([
  'name',
  'key',
  'target',
  'readOnly',
  'subpath',
  'copy',
  'memory',
  'inPlace',
])

export function acceptVolume(volume: VolumeMount, spec: ServiceSpec, refuse: Refuse): void {
  const { replicas, canShare, granted } = spec
  const { name, target, readOnly, subpath, memory, inPlace } = volume
  // Anything else could be read as a path of the server.
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) refuse(`“${name}” is not a volume's name.`)
  const odd = Object.keys(volume).find((key) => !KNOWN.has(key))
  if (odd !== undefined) {
    refuse(`the volume ${name} has “${odd}”, which could mount a folder of the server; deploy the source again.`)
  }
  if (!isPlace(target)) refuse(`the volume ${name} needs an absolute path in the container.`)
  if (!readOnly && replicas > 1 && !canShare) {
    refuse(`the writable volume ${name} allows one replica, not ${replicas}.`)
  }
  if (inPlace !== undefined && !granted?.volumes.includes(name))
    refuse(`the volume ${name} is not the project's own, and the project was not granted it.`)
  if (inPlace !== undefined && (memory !== undefined || volume.key !== undefined))
    refuse(`the volume ${name} is used as it is, and cannot be made.`)
  if (subpath !== undefined && !isInside(subpath)) refuse(`“${subpath}” is not a path inside of the volume ${name}.`)
  if (memory !== undefined && !isMemory(memory)) refuse(`the volume ${name} is none that can be had in memory.`)
}

/** No grant reaches these, whatever has made it: whoever has them has the server. Some with all that is below. */
const SYSTEM =
  /^\/(proc|sys|dev|boot|run|var\/run|var\/lib\/(docker|containerd))(\/|$)|\/(docker|containerd|podman)[^/]*\.sock$/
const WHOLE = /^\/(|bin|sbin|lib|lib64|etc|root|home|usr|var|var\/lib|opt|srv)$/

/** A path of the server: exactly as it was granted, and in its plainest form. */
export function acceptBind(
  { source, target }: NonNullable<ServiceSpec['binds']>[number],
  spec: ServiceSpec,
  refuse: Refuse,
) {
  if (!spec.granted?.paths.includes(source)) refuse(`the path ${source} of the server was not granted to the project.`)
  const isPlain = source.startsWith('/') && !/\0|\/\/|\/\.{1,2}(\/|$)|.\/$/.test(source)
  if (!isPlain || SYSTEM.test(source) || WHOLE.test(source))
    refuse(`“${source}” is no path that a project can be granted.`)
  if (!isPlace(target)) refuse(`the path ${source} needs an absolute path in the container.`)
}

/** Whole numbers and flags only: what is made of them is a line of mount options. */
function isMemory({ sizeBytes, mode, uid, gid, inodes, readOnly, noExec, ...others }: MemoryVolume): boolean {
  const numbers = [sizeBytes, mode ?? 0, uid ?? 0, gid ?? 0, inodes ?? 1]
  const flags = [readOnly ?? false, noExec ?? false]
  return (
    Object.keys(others).length === 0 &&
    numbers.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    flags.every((flag) => typeof flag === 'boolean') &&
    sizeBytes > 0 &&
    inodes !== 0
  )
}

export const isPlace = (path: string): boolean => path.startsWith('/') && !/[\0]/.test(path) && /[^/]/.test(path)

/** Relative, and never upwards. */
export function isInside(path: string): boolean {
  return path !== '' && !/^\/|\0/.test(path) && !path.split('/').includes('..')
}
