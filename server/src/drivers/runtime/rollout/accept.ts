import { RuntimeFailure } from '../failure.ts'
import type { ServiceSpec } from './spec.ts'

/** Refuses what the engine would take and do harm with. Everything else is its own to refuse. */
export function acceptSpec(spec: ServiceSpec): void {
  const refuse = (message: string) => {
    throw new RuntimeFailure('spec_refused', `${spec.service}: ${message}`)
  }
  for (const { name, target, readOnly } of spec.volumes) {
    // Anything else could be read as a path of the server.
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) refuse(`“${name}” is not a volume's name.`)
    if (!target.startsWith('/')) refuse(`the volume ${name} needs an absolute path in the container.`)
    if (!readOnly && spec.replicas > 1) refuse(`the writable volume ${name} allows one replica, not ${spec.replicas}.`)
  }
  for (const [name, value] of Object.entries(spec.environment)) {
    if (name === '' || /[=\0]/.test(name)) refuse(`“${name}” is not a variable's name.`)
    if (value.includes('\0')) refuse(`the variable ${name} contains a NUL byte.`)
  }
  for (const port of (spec.ports ?? []).flatMap(({ target, published }) => [target, published])) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(`${port} is not a port.`)
  }
  // Less than this is rounded to nothing, and nothing means no limit.
  if (spec.cpus !== undefined && !(spec.cpus >= 0.01)) refuse(`a limit of ${spec.cpus} CPUs is too small.`)
  if (!Number.isInteger(spec.replicas) || spec.replicas < 0) refuse(`${spec.replicas} is not a number of replicas.`)
  if (spec.image.trim() === '') refuse('it has no image.')
}
