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
  /** Hard limits; a container has one of memory and one of processes also where nothing is said (`bounds.ts`). */
  memoryBytes?: number
  cpus?: number
  healthcheck: Healthcheck
  stopGraceMs: number
  /** Aliases belong to a network: the short name of a service must not be heard on a network of several projects. */
  networks: { name: string; aliases: string[] }[]
  volumes: VolumeMount[]
  /** Paths of the server itself. Only what `granted` names, letter by letter. */
  binds?: { source: string; target: string; readOnly: boolean }[]
  /** What is on the server and not the project's own, and that it may use where it is: by adoption, and by nothing else. */
  granted?: { volumes: string[]; paths: string[] }
  /** Folders in memory, gone with the container. */
  memory?: { target: string; sizeBytes?: number; mode?: number }[]
  /** Files that are laid into the container; the engine keeps them, secrets sealed and in memory only. */
  files?: LaidFile[]
  /** Ports of the machine itself. Most services have none: the edge reaches them over a network. */
  ports?: { target: number; published: number; protocol: 'tcp' | 'udp' }[]
  user?: string
  workingDir?: string
  init: boolean
  /** Runs to its end once per deployment: an exit with 0 is how it succeeds. */
  job?: boolean
  restart: 'always' | 'on-failure' | 'never'
  restartPolicy?: { delayMs?: number; maxAttempts?: number; windowMs?: number }
  /** An end without an error is no failure. */
  mayEnd?: boolean
  /**
   * A writable volume or a port of the machine makes it stop-first whatever is said here: two cannot hold them. Volumes
   * that are declared safe for two writers (`canShare`) do not.
   */
  order: 'start-first' | 'stop-first'
  canShare?: boolean
  /** For how long the engine watches a new task before it goes on, and takes the previous spec back if the task dies. */
  monitorMs: number
  /** On the container, beside ours. */
  labels?: Record<string, string>
  pids?: number
  stopSignal?: string
  hostname?: string
  groups?: string[]
  /** Without CAP_; what is dropped from every container is in `rights.ts`. */
  capabilities?: { add: string[]; drop: string[] }
  /** True unless false is said, from Engine 25 on. */
  noNewPrivileges?: boolean
  readOnly?: boolean
  tty?: boolean
  stdin?: boolean
  ulimits?: { name: string; soft: number; hard: number }[]
  sysctls?: Record<string, string>
  hosts?: { name: string; address: string }[]
  dns?: { servers: string[]; options: string[]; search: string[] }
  log?: { maxSize: string | null; maxFiles: number | null }
}

export type VolumeMount = {
  name: string
  /** What the project calls it: written on the volume when it is made. */
  key?: string
  target: string
  readOnly: boolean
  /** Only this path of the volume; it must be there. The engine never leaves the volume for it. */
  subpath?: string
  /** False: a new volume stays empty instead of getting what the image has in that place. */
  copy?: boolean
  /** It lives in memory (tmpfs), from when it is made on. */
  memory?: MemoryVolume
  /** It is there already and not the project's own: used as it is, never made, labelled or removed. Needs to be `granted`. */
  inPlace?: true
}

/** Numbers and flags, never text: the engine hands what becomes of them to mount(2). */
export type MemoryVolume = {
  sizeBytes: number
  mode?: number
  uid?: number
  gid?: number
  inodes?: number
  readOnly?: boolean
  noExec?: boolean
}

export type LaidFile = {
  kind: 'config' | 'secret'
  /** For people, in lists of the engine. */
  name: string
  /** Base64. */
  content: string
  target: string
  uid: string
  gid: string
  mode: number
}

/** `startIntervalMs`: how often it is looked at while it starts; a second where nothing is said. */
export type Healthcheck = CheckKind & { startIntervalMs?: number } & {
  intervalMs: number
  timeoutMs: number
  retries: number
  startPeriodMs: number
}

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
const RENDERING = 3

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
