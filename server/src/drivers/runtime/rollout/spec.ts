import { createHash } from 'node:crypto'

/** A service as Slipway wants it: what is stored with a deployment, and all that restoring one needs. */
export type ServiceSpec = {
  org: string
  project: string
  service: string
  deployment: string
  image: string
  /** Replaces the image's CMD and ENTRYPOINT; undefined leaves the image's own. */
  command?: string[]
  entrypoint?: string[]
  environment: Record<string, string>
  replicas: number
  /** Hard limits. */
  memoryBytes?: number
  cpus?: number
  /** What a node must have free before a task is placed on it; without it nothing is reserved. */
  reserved?: { memoryBytes?: number; cpus?: number }
  healthcheck: Healthcheck
  stopGraceMs: number
  /** Aliases belong to a network: the short name of a service must not be heard on a network of several projects. */
  networks: { name: string; aliases: string[] }[]
  volumes: { name: string; target: string; readOnly: boolean }[]
  /** Ports of the machine itself. Most services have none: the edge reaches them over a network. */
  ports?: { target: number; published: number; protocol: 'tcp' | 'udp' }[]
  user?: string
  workingDir?: string
  init: boolean
  restart: 'always' | 'on-failure' | 'never'
  /** A writable volume or a port of the machine makes it stop-first whatever is said here: two cannot hold them. */
  order: 'start-first' | 'stop-first'
  /** For how long the engine watches a new task before it goes on, and takes the previous spec back if the task dies. */
  monitorMs: number
  /** On the container, beside ours. */
  labels?: Record<string, string>
}

export type Healthcheck = CheckKind & { intervalMs: number; timeoutMs: number; retries: number; startPeriodMs: number }

type CheckKind =
  /** Healthy is an answer from 200 to 399, on a port that is open to the network. */
  | { kind: 'http'; path: string; port: number }
  /** Healthy is a port that is open to the network. */
  | { kind: 'tcp'; port: number }
  | { kind: 'command'; argv: string[] }
  /** The image's own HEALTHCHECK; without one it is as `none`. */
  | { kind: 'image' }
  /** Healthy is a process that keeps running for the monitor period. */
  | { kind: 'none' }

/** Raised when the same spec is rendered differently, so that "unchanged" never keeps an old rendering. */
const RENDERING = 2

/** The content of a spec without the deployment that brought it: equal hashes mean that nothing changed. */
export function specHash({ deployment: _, ...content }: ServiceSpec): string {
  return createHash('sha256')
    .update(stable([RENDERING, content]))
    .digest('hex')
    .slice(0, 32)
}

/** JSON with sorted keys: the order in which a spec was written down is no difference. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
