import type { ContainerSpec } from '../../engine/answers.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

/**
 * Least privilege: what the engine gives to every container, less what almost none needs. NET_RAW above all: with it a
 * container answers ARP for its neighbours and takes their traffic.
 */
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP'] as const

/** What a spec may ask for: nothing of it reaches beyond the container. An allowlist; NET_RAW is not on it. */
const GRANTABLE: ReadonlySet<string> = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'IPC_LOCK', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
])

export const isGrantable = (name: string): boolean => GRANTABLE.has(plain(name))

/** Privileges of the process: `api` is the engine's, because older ones refuse or ignore what they do not know. */
export function rightsOf(spec: ServiceSpec, api: number): Partial<ContainerSpec> {
  const { capabilities: { add, drop } = { add: [], drop: [] }, noNewPrivileges = api >= NO_NEW_PRIVILEGES } = spec
  const added = new Set(add.map(plain))
  const dropped = new Set([...drop.map(plain), ...DROPPED.filter((name) => !added.has(name))])
  return {
    ...(noNewPrivileges && { Privileges: { NoNewPrivileges: true } }),
    ...(added.size > 0 && { CapabilityAdd: [...added].map(named) }),
    CapabilityDrop: dropped.has('ALL') ? ['ALL'] : [...dropped].sort().map(named),
  }
}

/** The first API version (Engine 25) that hands it on in Swarm mode. */
export const NO_NEW_PRIVILEGES = 144

const plain = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')
const named = (name: string): string => `CAP_${name}`
