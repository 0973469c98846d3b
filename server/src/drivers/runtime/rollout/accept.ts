import { RuntimeFailure } from '../failure.ts'
import { acceptVolume, isPlace } from './accept-volume.ts'
import type { LaidFile, ServiceSpec } from './spec.ts'

type Refuse = (message: string) => void

/** Refuses what the engine would take and do harm with. Everything else is its own to refuse. */
export function acceptSpec(spec: ServiceSpec, api = Number.POSITIVE_INFINITY): void {
  const refuse = (message: string) => {
    throw new RuntimeFailure('spec_refused', `${spec.service}: ${message}`)
  }
  for (const volume of spec.volumes) acceptVolume(volume, spec, refuse)
  for (const { target } of spec.memory ?? []) {
    if (!isPlace(target)) refuse(`the folder in memory “${target}” needs an absolute path in the container.`)
  }
  for (const file of spec.files ?? []) acceptFile(file, refuse)
  for (const [name, value] of Object.entries(spec.environment)) {
    if (name === '' || /[=\0]/.test(name)) refuse(`“${name}” is not a variable's name.`)
    if (value.includes('\0')) refuse(`the variable ${name} contains a NUL byte.`)
  }
  for (const port of (spec.ports ?? []).flatMap(({ target, published }) => [target, published])) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(`${port} is not a port.`)
  }
  for (const { name, address } of spec.hosts ?? []) {
    // More words would be more names.
    if (/\s|^$/.test(name) || /\s|^$/.test(address)) refuse(`“${name}” at “${address}” is not a host.`)
  }
  // Less than this is rounded to nothing, and nothing means no limit.
  if (spec.cpus !== undefined && !(spec.cpus >= 0.01)) refuse(`a limit of ${spec.cpus} CPUs is too small.`)
  if (spec.pids !== undefined && !(spec.pids >= 1)) refuse(`a limit of ${spec.pids} processes is too small.`)
  if (!Number.isInteger(spec.replicas) || spec.replicas < 0) refuse(`${spec.replicas} is not a number of replicas.`)
  if (spec.image.trim() === '') refuse('it has no image.')
  acceptEngine(spec, api, refuse)
}

/** What the engine takes for a file: it says so too, but not about which one. */
const MOST_BYTES = { config: 1_024_000, secret: 512_000 }

function acceptFile({ kind, name, content, target, uid, gid, mode }: LaidFile, refuse: Refuse): void {
  if (!isPlace(target)) refuse(`the ${kind} ${name} needs an absolute path in the container.`)
  const size = Buffer.byteLength(content, 'base64')
  if (size === 0) refuse(`the ${kind} ${name} is empty; the engine keeps no empty files.`)
  if (size >= MOST_BYTES[kind])
    refuse(`the ${kind} ${name} has ${size} bytes; the engine keeps less than ${MOST_BYTES[kind]}.`)
  // A name would be looked up on the server and not in the image, and fail only there.
  if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid)) refuse(`the ${kind} ${name} needs numbers for its owner and its group.`)
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o7777) refuse(`the ${kind} ${name} has no file mode.`)
}

/** An engine that does not know a setting leaves it out without a word. */
function acceptEngine({ volumes, noNewPrivileges }: ServiceSpec, api: number, refuse: Refuse): void {
  const partial = volumes.find(({ subpath }) => subpath !== undefined)
  if (partial && api < 145) refuse(`a path inside of the volume ${partial.name} needs Docker Engine 26 or later.`)
  if (noNewPrivileges && api < 144) refuse('“no new privileges” needs Docker Engine 25 or later.')
}
