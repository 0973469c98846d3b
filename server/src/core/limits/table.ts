import { LIMIT_KINDS, type LimitKind } from '@slipway/contract/limits'

type LimitRow = {
  unit: 'count' | 'bytes'
  /** Of every organization in cloud mode, where neither the configuration nor the operator says otherwise. */
  inCloud: number
  /** The variable that changes it for all of them. */
  setting: `SLIPWAY_LIMIT_${string}`
  /** The option of `slipway admin limits` that changes it for one. */
  option: string
  /** What happened and why (of builds, why one waits; of logs, why lines are missing); `used` and `most` as people read them. */
  refusal(used: string, most: string): string
  /** What to do next. */
  hint: string
}

const GIB = 1024 ** 3
const ASK = 'or ask whoever runs this instance for more'

/** All that an organization may have only so much of: the one place where a limit has its numbers and its words. */
export const LIMITS = {
  projects: {
    unit: 'count',
    inCloud: 50,
    setting: 'SLIPWAY_LIMIT_PROJECTS',
    option: 'projects',
    refusal: (used, most) => `The organization has ${used} of the ${most} projects that it may have.`,
    hint: `Delete a project that is no longer needed, ${ASK}.`,
  },
  members: {
    unit: 'count',
    inCloud: 50,
    setting: 'SLIPWAY_LIMIT_MEMBERS',
    option: 'members',
    refusal: (used, most) =>
      `The organization has ${used} of the ${most} members that it may have, those invited included.`,
    hint: `Remove a member or withdraw an invitation that nobody used, ${ASK}.`,
  },
  concurrentBuilds: {
    unit: 'count',
    inCloud: 4,
    setting: 'SLIPWAY_LIMIT_CONCURRENT_BUILDS',
    option: 'concurrent-builds',
    refusal: (used, most) =>
      `The organization builds ${used} of the ${most} images that it may build at once: this build waits for its turn.`,
    hint: `It begins by itself when another build ends: cancel one that is not needed, ${ASK}.`,
  },
  memoryBytes: {
    unit: 'bytes',
    inCloud: 16 * GIB,
    setting: 'SLIPWAY_LIMIT_MEMORY_BYTES',
    option: 'memory-bytes',
    refusal: (used, most) =>
      `The releases of the organization ask for ${used} of the ${most} of memory that they may have together, and this one asks for more than is left.`,
    hint: `Lower memoryMb or the replicas of services, delete a project that is no longer needed, ${ASK}.`,
  },
  uploadBytes: {
    unit: 'bytes',
    inCloud: 20 * GIB,
    setting: 'SLIPWAY_LIMIT_UPLOAD_BYTES',
    option: 'upload-bytes',
    refusal: (used, most) =>
      `The organization has uploaded ${used} of the ${most} that it may keep here, and this is more.`,
    hint: `Leave out what a build does not need, wait until old uploads that nothing uses are gone, ${ASK}.`,
  },
  logBytesPerDay: {
    unit: 'bytes',
    inCloud: GIB,
    setting: 'SLIPWAY_LIMIT_LOG_BYTES_PER_DAY',
    option: 'log-bytes-per-day',
    refusal: (used, most) =>
      `Lines from here on are not kept: deployments of the organization printed ${used} within a day, and ${most} are kept.`,
    hint: `Let builds print less, wait until the lines of a day ago count no more, ${ASK}.`,
  },
} as const satisfies Record<LimitKind, LimitRow>

/** What a configuration says of each: null where there is none. */
export type ConfiguredLimits = Readonly<Record<LimitKind, number | null>>

export const NO_LIMITS: ConfiguredLimits = ofEachKind(() => null)

export function ofEachKind<T>(make: (kind: LimitKind) => T): Record<LimitKind, T> {
  return Object.fromEntries(LIMIT_KINDS.map((kind) => [kind, make(kind)])) as Record<LimitKind, T>
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of the unit as people read it. */
export function inWords(kind: LimitKind, amount: number): string {
  if (LIMITS[kind].unit === 'count') return String(amount)
  let [value, power] = [amount, 0]
  while (value >= 1024 && power < UNITS.length - 1) [value, power] = [value / 1024, power + 1]
  return `${Number(value.toFixed(value < 10 ? 2 : 1))} ${UNITS[power]}`
}
