/** A compose project in our words: all that a rollout needs, and nothing that it must look up again. */
export type Deployable = {
  services: ComposeService[]
  /** Names of services, each after those it waits for. */
  order: string[]
  networks: ComposeNetwork[]
  volumes: ComposeVolume[]
  configs: ComposeFile[]
  secrets: ComposeFile[]
}

export type ComposeService = {
  name: string
  /** A job runs to its end before others start; a service keeps running. */
  kind: 'service' | 'job'
  /** Said not to be restarted: an end without an error is no failure. */
  mayEnd: boolean
  /** With both, the image is only a name for what is built. */
  image: string | null
  build: ComposeBuild | null
  /** Null leaves the image's own. */
  command: string[] | null
  entrypoint: string[] | null
  environment: Record<string, string>
  ports: { target: number; published: number; protocol: Protocol }[]
  /** Where it listens for its neighbours; the edge may be led here too. */
  exposed: { port: number; protocol: Protocol }[]
  mounts: ComposeMount[]
  configs: FileMount[]
  secrets: FileMount[]
  networks: { network: string; aliases: string[] }[]
  after: { service: string; until: 'started' | 'healthy' | 'completed'; required: boolean }[]
  healthcheck: ComposeHealthcheck
  replicas: number
  limits: Amounts & { pids?: number }
  restart: Restart
  /** Stop-first where two at a time would write to the same volume. */
  order: 'start-first' | 'stop-first'
  /** Its writable volumes, if it has any, are declared safe to share with the container that replaces it. */
  canShare: boolean
  stopGraceMs: number | null
  stopSignal: string | null
  user: string | null
  workingDir: string | null
  hostname: string | null
  groups: string[]
  capabilities: { add: string[]; drop: string[] }
  /** Null: nothing is said. */
  noNewPrivileges: boolean | null
  readOnly: boolean
  init: boolean
  tty: boolean
  stdin: boolean
  ulimits: { name: string; soft: number; hard: number }[]
  sysctls: Record<string, string>
  hosts: { name: string; address: string }[]
  dns: { servers: string[]; options: string[]; search: string[] }
  log: { maxSize: string | null; maxFiles: number | null }
  labels: Record<string, string>
}

export type Protocol = 'tcp' | 'udp' | 'sctp'

export type Amounts = { memoryBytes?: number; cpus?: number }

export type Restart = {
  when: 'always' | 'on-failure' | 'never'
  delayMs?: number
  maxAttempts?: number
  windowMs?: number
}

export type ComposeHealthcheck =
  | { kind: 'none' }
  /** What the image says; times given here go before the image's. */
  | ({ kind: 'image' } & Partial<CheckTimes>)
  | ({ kind: 'command'; argv: string[] } & Partial<CheckTimes>)

export type CheckTimes = {
  intervalMs: number
  timeoutMs: number
  retries: number
  startPeriodMs: number
  startIntervalMs: number
}

export type ComposeBuild = {
  /** A folder of the tree, or an address that the builder fetches. */
  context: BuildContext
  dockerfile: { path: string } | { text: string }
  args: Record<string, string>
  target: string | null
  labels: Record<string, string>
  contexts: Record<string, BuildContext>
  hosts: { name: string; address: string }[]
  secrets: { id: string; secret: string }[]
  noCache: boolean
  pull: boolean
}

export type BuildContext = { kind: 'tree'; path: string } | { kind: 'remote'; address: string }

export type ComposeMount =
  | { kind: 'volume'; volume: string; target: string; readOnly: boolean; copy: boolean; subpath: string | null }
  /** A path of the tree, kept in the project's own folder on the server. */
  | { kind: 'bind'; source: string; target: string; readOnly: boolean }
  /** A path of the server itself, where the operator allows it. */
  | { kind: 'host'; source: string; target: string; readOnly: boolean }
  | { kind: 'tmpfs'; target: string; sizeBytes: number | null; mode: number | null }

export type FileMount = { source: string; target: string; uid: string; gid: string; mode: number }

export type ComposeFile = { key: string; from: { file: string } | { variable: string } | { text: string } }

export type ComposeNetwork = { key: string; internal: boolean }

/** Null: on the server's disk. */
type ComposeVolume = { key: string; memory: MemoryVolume | null }

/** A volume that lives in memory (tmpfs). */
export type MemoryVolume = {
  sizeBytes: number
  mode?: number
  uid?: number
  gid?: number
  inodes?: number
  readOnly?: boolean
  noExec?: boolean
}

/** What the operator of a server allows beyond what is safe to give to anyone. */
export type Trust = {
  /** Folders of the server below which services may mount. */
  hostPaths?: string[]
  /** Capabilities beyond the engine's own default, without CAP_. */
  capabilities?: string[]
}
