import type { BuildLimits } from '../builder.ts'

/** What of the engine's `/info` is used. */
export type EngineInfo = {
  CgroupVersion?: string
  MemoryLimit?: boolean
  SwapLimit?: boolean
  CpuCfsQuota?: boolean
  PidsLimit?: boolean
  SecurityOptions?: string[]
}

/** Which folders of the host the helper gets, and which values go into which files, in this order. */
export function limitWrites(info: EngineInfo, cgroup: string, limits: BuildLimits) {
  // The kernel rounds to pages, of up to 64 KiB, and would then not give back what was written.
  const memory = String(Math.max(1, Math.floor(limits.memoryBytes / 65_536)) * 65_536)
  const quota = String(Math.max(1000, Math.round(limits.cpus * Number(PERIOD))))
  const pids = String(Math.max(1, Math.floor(limits.pids)))
  const swap = info.SwapLimit === true
  return info.CgroupVersion === '2'
    ? unifiedWrites(cgroup, { memory, quota, pids, swap })
    : legacyWrites(cgroup, { memory, quota, pids, swap })
}

type Values = { memory: string; quota: string; pids: string; swap: boolean }
type Writes = {
  binds: string[]
  /** The folder whose cgroups list the processes of all steps. */
  processes: string
  writes: [file: string, value: string][]
}

const PERIOD = '100000'
const UNLIMITED = '9223372036854771712'

// The engine makes the source of a bind that is missing: so the cgroup comes to be, without a helper that sees all of them.

function legacyWrites(cgroup: string, { memory, quota, pids, swap }: Values): Writes {
  const both = '/limits/memory/memory.memsw.limit_in_bytes'
  return {
    binds: ['memory', 'cpu', 'pids'].map((kind) => `/sys/fs/cgroup/${kind}/${cgroup}:/limits/${kind}`),
    processes: '/limits/pids',
    writes: [
      // Memory with swap may never be below memory alone, also not on the way to the new values.
      ...(swap ? ([[both, UNLIMITED]] satisfies Writes['writes']) : []),
      ['/limits/memory/memory.limit_in_bytes', memory],
      ...(swap ? ([[both, memory]] satisfies Writes['writes']) : []),
      ['/limits/cpu/cpu.cfs_period_us', PERIOD],
      ['/limits/cpu/cpu.cfs_quota_us', quota],
      ['/limits/pids/pids.max', pids],
    ],
  }
}

function unifiedWrites(cgroup: string, { memory, quota, pids, swap }: Values): Writes {
  const controllers = '+cpu +memory +pids'
  return {
    binds: [
      '/sys/fs/cgroup/cgroup.subtree_control:/limits/controllers',
      '/sys/fs/cgroup/slipway:/limits/all',
      `/sys/fs/cgroup/${cgroup}:/limits/project`,
    ],
    processes: '/limits/project',
    writes: [
      // From above to below: a folder has a controller's files only when the one above hands it down.
      ['/limits/controllers', controllers],
      ['/limits/all/cgroup.subtree_control', controllers],
      ['/limits/project/memory.max', memory],
      ...(swap ? ([['/limits/project/memory.swap.max', '0']] satisfies Writes['writes']) : []),
      ['/limits/project/cpu.max', `${quota} ${PERIOD}`],
      ['/limits/project/pids.max', pids],
    ],
  }
}
