import type { ServiceSpec } from '../../../../server/src/drivers/runtime/rollout/spec.ts'

/** What the engine holds of a service, as far as it is looked at here. */
export type Held = {
  ContainerSpec: {
    Healthcheck?: { Interval?: number; StartInterval?: number }
    Labels?: Record<string, string>
    CapabilityDrop?: string[]
    Mounts?: object[]
  }
  Resources?: { Limits?: { MemoryBytes?: number; Pids?: number }; Reservations?: object }
  RestartPolicy?: { Delay?: number }
  LogDriver?: { Name: string; Options?: Record<string, string> }
}

/** Amounts that are not refused but cut; `isBounded` says of what the engine holds whether they were. */
export type Bounded = { name: string; spec: Partial<ServiceSpec>; isBounded: (held: Held) => boolean }

const MIB = 1024 ** 2
const often = { intervalMs: 1, startIntervalMs: 1, timeoutMs: 1000, retries: 1, startPeriodMs: 0 }

export const allBounded: Bounded[] = [
  {
    name: 'a log of 900,000 GB',
    spec: { log: { maxSize: '900000g', maxFiles: 999 } },
    isBounded: ({ LogDriver }) =>
      LogDriver?.Name === 'local' &&
      Number(LogDriver.Options?.['max-size']) * Number(LogDriver.Options?.['max-file']) <= 100 * MIB,
  },
  {
    name: 'a check every millisecond',
    spec: { healthcheck: { kind: 'command', argv: ['true'], ...often } },
    isBounded: ({ ContainerSpec: { Healthcheck } }) =>
      (Healthcheck?.Interval ?? 0) >= 5e8 && (Healthcheck?.StartInterval ?? 0) >= 5e8,
  },
  {
    name: 'a new start at once, for ever',
    spec: { restart: 'always', restartPolicy: { delayMs: 0 } },
    isBounded: ({ RestartPolicy }) => (RestartPolicy?.Delay ?? 0) >= 1e9,
  },
  {
    name: 'no limit of memory and of processes',
    spec: {},
    isBounded: ({ Resources }) => (Resources?.Limits?.MemoryBytes ?? 0) > 0 && (Resources?.Limits?.Pids ?? 0) > 0,
  },
  {
    name: 'more memory and processes than any server has',
    spec: { memoryBytes: 2 ** 50, pids: 4_000_000 },
    isBounded: ({ Resources }) =>
      (Resources?.Limits?.MemoryBytes ?? 2 ** 50) < 2 ** 44 && (Resources?.Limits?.Pids ?? 4_000_000) <= 16_384,
  },
  {
    name: 'the platform’s own labels',
    spec: { labels: { 'slipway.project': 'prj_victim', 'slipway.role': 'gateway', 'com.docker.swarm.task': 'x' } },
    isBounded: ({ ContainerSpec: { Labels = {} } }) => !/victim|gateway|swarm\.task/.test(JSON.stringify(Labels)),
  },
]
