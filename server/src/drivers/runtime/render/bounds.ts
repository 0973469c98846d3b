import type { TaskTemplate } from '../../engine/answers.ts'
import type { Ceilings } from '../../engine/policy.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

/** What a container is measured against: the memory of the machine, and what its owner allows. */
export type Bounds = { machineBytes: number; ceilings: Ceilings }

type Limits = NonNullable<NonNullable<TaskTemplate['Resources']>['Limits']>

const MIB = 1024 ** 2
const LEAST_USUAL_BYTES = 512 * MIB
const USUAL_SHARE = 1 / 4
const USUAL_PIDS = 2048
const MOST_PIDS = 16_384

/**
 * Every container has a limit of memory and of processes, whatever its spec says: without one, a leak or a fork bomb of one
 * project takes the server with all others. Amounts are cut to what the server allows and not refused, so that lowering a
 * ceiling never stands in the way of bringing a release back.
 */
export function limitsOf({ memoryBytes, cpus, pids }: ServiceSpec, { machineBytes, ceilings }: Bounds): Limits {
  const usual = Math.max(LEAST_USUAL_BYTES, Math.floor((machineBytes * USUAL_SHARE) / MIB) * MIB)
  const processors = Math.min(cpus ?? Number.POSITIVE_INFINITY, ceilings.cpus ?? Number.POSITIVE_INFINITY)
  return {
    MemoryBytes: Math.min(memoryBytes ?? usual, machineBytes, ceilings.memoryBytes ?? machineBytes),
    ...(Number.isFinite(processors) && { NanoCPUs: Math.round(processors * 1_000_000_000) }),
    Pids: Math.min(pids ?? USUAL_PIDS, ceilings.pids ?? MOST_PIDS),
  }
}

const LOG = { maxSize: '10m', maxFiles: 3 }
const MOST_LOG_BYTES = 100 * MIB
const MOST_LOG_FILES = 20
const UNITS: Record<string, number> = { '': 1, k: 1024, m: MIB, g: 1024 * MIB }

/** Lines are kept on the server's disk, which all projects share. */
export function logOptions({ log }: ServiceSpec): Record<string, string> {
  const maxFiles = Math.min(Math.max(1, log?.maxFiles ?? LOG.maxFiles), MOST_LOG_FILES)
  const said = log?.maxSize ?? LOG.maxSize
  const [, digits = '', unit = ''] = /^(\d+)([kmg]?)b?$/i.exec(said) ?? []
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)
  const most = Math.floor(MOST_LOG_BYTES / maxFiles)
  const fits = digits !== '' && bytes > 0 && bytes <= most
  // The engine compresses what it has turned over, and refuses to where there is no second file.
  const single = maxFiles === 1 && { compress: 'false' }
  return { 'max-size': fits ? said : String(most), 'max-file': String(maxFiles), ...single }
}

/** A container that is started or looked at more often than this keeps the engine from its other work. */
export const LEAST_PAUSE_MS = { restart: 1000, check: 500 }
