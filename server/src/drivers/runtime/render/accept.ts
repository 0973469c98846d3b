import { runtimeFailure } from '../failure.ts'
import type { LaidFile, ServiceSpec } from '../rollout/spec.ts'
import { acceptPorts, type PortRules } from './accept-ports.ts'
import { acceptProcess } from './accept-process.ts'
import { acceptBind, acceptVolume, isPlace } from './accept-volume.ts'

type Refuse = (message: string) => void

/** `api` is the engine's: 145 for 1.45. */
type Rules = PortRules & { api: number }

/** Tasks take addresses and places in the engine's lists before it is looked whether they can run. */
const MOST_REPLICAS = 100

/** Refuses what the engine would take and do harm with. Everything else is its own to refuse. */
export function acceptSpec(spec: ServiceSpec, { api, ...ports }: Rules): void {
  const refuse = (message: string) => {
    throw runtimeFailure('spec_refused', `${spec.service}: ${message}`)
  }
  for (const volume of spec.volumes) acceptVolume(volume, spec, refuse)
  for (const bind of spec.binds ?? []) acceptBind(bind, spec, refuse)
  for (const { target } of spec.memory ?? []) {
    if (!isPlace(target)) refuse(`the folder in memory “${target}” needs an absolute path in the container.`)
  }
  for (const file of spec.files ?? []) acceptFile(file, refuse)
  for (const [name, value] of Object.entries(spec.environment)) {
    if (name === '' || /[=\0]/.test(name)) refuse(`“${name}” is not a variable's name.`)
    if (value.includes('\0')) refuse(`the variable ${name} contains a NUL byte.`)
  }
  // Less than this is rounded to nothing, and nothing means no limit.
  if (spec.cpus !== undefined && !(spec.cpus >= 0.01)) refuse(`a limit of ${spec.cpus} CPUs is too small.`)
  if (spec.pids !== undefined && !(spec.pids >= 1)) refuse(`a limit of ${spec.pids} processes is too small.`)
  if (!Number.isInteger(spec.replicas) || spec.replicas < 0 || spec.replicas > MOST_REPLICAS)
    refuse(`${spec.replicas} is not a number of replicas from 0 to ${MOST_REPLICAS}.`)
  if (spec.image.trim() === '') refuse('it has no image.')
  acceptPorts(spec, ports, refuse)
  acceptProcess(spec, api, refuse)
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
function acceptEngine({ volumes }: ServiceSpec, api: number, refuse: Refuse): void {
  const partial = volumes.find(({ subpath }) => subpath !== undefined)
  if (partial && api < 145) refuse(`a path inside of the volume ${partial.name} needs Docker Engine 26 or later.`)
}
