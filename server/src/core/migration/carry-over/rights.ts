import type { FoundContainer, FoundHost } from '../../../drivers/runtime/reading/found.ts'
import { shown, type Tell } from './verdict.ts'

/** What the engine gives to a container by itself, and the right to keep memory from being swapped. */
const USUAL = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'IPC_LOCK', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
])
const RUNTIMES = ['', 'runc', 'io.containerd.runc.v2']
const plain = (name: string) => name.toUpperCase().replace(/^CAP_/, '')

/** Rights over the server or over other containers: without them the program is another one, so it is not adopted. */
export function refuseRights({ host }: FoundContainer, { refuse, warn }: Tell): void {
  if (host.privileged) refuse('privileged', 'It has all rights over the server (privileged).')
  if (host.pidMode !== '')
    refuse('pid', `It sees the processes of ${host.pidMode === 'host' ? 'the server' : 'another container'}.`)
  if (!['', 'private', 'shareable', 'none'].includes(host.ipcMode))
    refuse('ipc', 'It shares memory with the server or with another container.')
  if (host.utsMode !== '') refuse('uts', 'It shares the host name of the server.')
  if (host.usernsMode !== '') refuse('userns_mode', 'It is outside of the engine’s user namespace.')
  if (host.devices > 0) refuse('devices', 'It uses devices of the server.')
  if (host.deviceRequests > 0) refuse('gpus', 'It uses graphics processors of the server.')
  const added = host.capAdd.map(plain).filter((name) => !USUAL.has(name))
  if (added.length > 0) refuse('cap_add', `It has rights beyond the usual: ${shown(added.join(', '))}.`)
  for (const option of host.securityOptions.filter((one) => !isExpected(one, host)))
    (/unconfined|disable/.test(option) ? refuse : warn)(
      'security_opt',
      `It runs with ${shown(option)}, which is not carried over.`,
    )
  if (!RUNTIMES.includes(host.runtime)) refuse('runtime', `It runs in ${shown(host.runtime)}.`)
}

/** The engine adds `label=disable` by itself to what sees the server's processes or has all rights. */
const isExpected = (option: string, host: FoundHost) =>
  /^no-new-privileges/.test(option) ||
  (option === 'label=disable' && (host.privileged || host.pidMode === 'host' || host.ipcMode === 'host'))

/** Settings that mean little or cannot be had; each is named. */
export function tellLosses({ host, run, name }: FoundContainer, { warn }: Tell): void {
  if (host.autoRemove) warn('rm', 'It was to be removed when it ends; a service is kept.')
  if (host.volumesFrom.length > 0)
    warn('volumes_from', `Its mounts are those of ${shown(host.volumesFrom.join(', '))}; here each is named by itself.`)
  if (host.oomScoreAdj !== 0) warn('oom_score_adj', 'The engine’s own setting counts.')
  if (host.oomKillDisable) warn('oom_kill_disable', 'The container is ended when it exceeds its memory.')
  if (host.cgroupParent !== '') warn('cgroup_parent', 'The container has a control group of its own.')
  if (host.storageOptions) warn('storage_opt', 'The engine’s own setting counts.')
  if (run.domainname !== '') warn('domainname', 'Only the host name is set.')
  if (run.macAddress !== '') warn('mac_address', 'The engine chooses the address.')
  if (run.stdin && run.tty) warn('tty', `${shown(name)} may be a shell that somebody has open.`)
}

/** What the platform takes from every container, so that none can reach its neighbours. */
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP']

export function capabilitiesOf({ host }: FoundContainer, { warn }: Tell): { add: string[]; drop: string[] } {
  const add = host.capAdd.map(plain).filter((name) => USUAL.has(name) && name !== 'NET_RAW')
  const drop = host.capDrop.map(plain)
  const lost = drop.includes('ALL') ? [] : DROPPED.filter((name) => !add.includes(name) && !drop.includes(name))
  if (host.capAdd.map(plain).includes('NET_RAW') && drop.includes('ALL')) lost.push('NET_RAW')
  if (lost.length > 0) warn('cap_drop', `It runs without the rights ${lost.join(', ')}, as every container here.`)
  return { add, drop }
}

export function limitsOf(
  { host }: FoundContainer,
  { warn }: Tell,
): { memoryBytes?: number; cpus?: number; pids?: number } {
  const quota = host.cpuQuota > 0 ? host.cpuQuota / (host.cpuPeriod || USUAL_PERIOD) : 0
  const cpus = host.nanoCpus > 0 ? host.nanoCpus / 1e9 : quota
  if (host.memoryReservation > 0) warn('mem_reservation', 'The soft limit of its memory is not kept.')
  if (host.cpuShares > 0) warn('cpu_shares', 'Processors are limited by cpus only.')
  if (host.cpuset !== '') warn('cpuset', 'The container may run on every processor.')
  // The engine writes twice the memory there by itself.
  if (host.memorySwap !== 0 && host.memory > 0 && host.memorySwap !== host.memory * 2)
    warn('memswap_limit', 'Swap is not limited apart from memory.')
  if (host.memory === 0)
    warn(
      'mem_limit',
      'It had no limit of memory; here every container has one: a quarter of the server’s memory, and 512 MB at least.',
    )
  if (host.pids <= 0) warn('pids_limit', 'It had no limit of processes; here every container has one: 2048.')
  return {
    ...(host.memory > 0 && { memoryBytes: host.memory }),
    ...(cpus >= LEAST_CPUS && { cpus }),
    ...(host.pids > 0 && { pids: host.pids }),
  }
}

const USUAL_PERIOD = 100_000
const LEAST_CPUS = 0.01
