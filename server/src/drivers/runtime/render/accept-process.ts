import { isIP } from 'node:net'
import type { ServiceSpec } from '../rollout/spec.ts'
import { isGrantable, NO_NEW_PRIVILEGES } from './rights.ts'

type Refuse = (message: string) => void

/** What a process may do, and how it is called. Each is an allowlist: the engine would take much more. */
export function acceptProcess(spec: ServiceSpec, api: number, refuse: Refuse): void {
  const { capabilities, ulimits = [], sysctls = {}, hosts = [], hostname, noNewPrivileges } = spec
  const right = capabilities?.add.find((name) => !isGrantable(name))
  if (right !== undefined) refuse(`the capability ${right} reaches beyond the container and is not given.`)
  for (const { name, soft, hard } of ulimits) {
    if (!isUlimit(name, soft, hard)) refuse(`the limit ${name} of ${soft} and ${hard} cannot be set.`)
  }
  for (const [name, value] of Object.entries(sysctls)) {
    if (!isSysctl(name, value)) refuse(`the kernel setting “${name}” is not one of the container alone.`)
  }
  for (const { name, address } of hosts) {
    // More words would be more names.
    if (!isName(name) || (isIP(address) === 0 && address !== 'host-gateway'))
      refuse(`“${name}” at “${address}” is not a host.`)
  }
  // From Engine 25 on it is a name that others of its networks look up.
  if (hostname !== undefined && !LABEL.test(hostname)) refuse(`“${hostname}” is not a host name of one word.`)
  for (const { aliases } of spec.networks) {
    const alias = aliases.find((one) => !isName(one))
    if (alias !== undefined) refuse(`“${alias}” is not a name.`)
  }
  if (noNewPrivileges && api < NO_NEW_PRIVILEGES) refuse('“no new privileges” needs Docker Engine 25 or later.')
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
const isName = (name: string): boolean => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(name)

/** Most per limit; -1 is none at all. What is not here is shared with the server: real-time priority, signals, queues. */
const ULIMITS: Record<string, { most: number; unlimited: boolean }> = {
  as: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
  core: { most: 0, unlimited: false },
  cpu: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
  data: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
  fsize: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
  // Counted to the memory of the container, which is limited.
  memlock: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
  nofile: { most: 1_048_576, unlimited: false },
  nproc: { most: 1_048_576, unlimited: true },
  stack: { most: Number.MAX_SAFE_INTEGER, unlimited: true },
}

function isUlimit(name: string, soft: number, hard: number): boolean {
  const bound = Object.hasOwn(ULIMITS, name) ? ULIMITS[name] : undefined
  if (!bound) return false
  return [soft, hard].every(
    (value) => Number.isInteger(value) && ((value >= 0 && value <= bound.most) || (value === -1 && bound.unlimited)),
  )
}

/** Of the container's own network and IPC namespaces; anchored at both ends, for a slash would lead elsewhere. */
const SYSCTL =
  /^(net\.ipv[46]\.[a-z0-9_]+(\.[a-z0-9_]+)*|net\.core\.somaxconn|net\.unix\.max_dgram_qlen|fs\.mqueue\.[a-z_]+|kernel\.(shm(max|all|mni|_rmid_forced)|msg(max|mnb|mni)|sem))$/

const isSysctl = (name: string, value: string): boolean => SYSCTL.test(name) && /^-?\d+([ \t]+-?\d+)*$/.test(value)
