/** A container, an image and whatever else stands on an engine, as a look at a server needs it. */
export type FoundContainer = {
  id: string
  name: string
  /** The id of its image, and the name that it was started by. */
  imageId: string
  run: FoundConfig
  host: FoundHost
  mounts: FoundMount[]
  networks: { name: string; aliases: string[]; fixedAddress: boolean }[]
  /** Ports of the machine that lead to it now: those chosen by chance are only here. */
  openPorts: { target: number; protocol: string; address: string; published: number }[]
  state: { status: string; exitCode: number; health: string | null }
}

export type FoundHealth = {
  test: string[]
  intervalNs: number
  timeoutNs: number
  retries: number
  startPeriodNs: number
  startIntervalNs: number
}

/** Of a container or an image. Null: nothing is said. */
export type FoundConfig = {
  image: string
  hostname: string
  domainname: string
  user: string
  tty: boolean
  stdin: boolean
  environment: string[]
  command: string[] | null
  entrypoint: string[] | null
  workingDir: string
  labels: Record<string, string>
  stopSignal: string
  /** Seconds; null where the engine's own holds. */
  stopTimeout: number | null
  health: FoundHealth | null
  shell: string[]
  exposed: { port: number; protocol: string }[]
  /** Places in the container that the image declares as volumes. */
  volumes: string[]
  macAddress: string
}

export type FoundHost = {
  networkMode: string
  ports: { target: number; protocol: string; address: string; published: string }[]
  publishAll: boolean
  restart: { name: string; maxRetries: number }
  autoRemove: boolean
  volumesFrom: string[]
  mountsAsked: { target: string; noCopy: boolean; subpath: string | null; sizeBytes: number; mode: number }[]
  tmpfs: Record<string, string>
  capAdd: string[]
  capDrop: string[]
  dns: string[]
  dnsOptions: string[]
  dnsSearch: string[]
  hosts: string[]
  groups: string[]
  links: string[]
  ipcMode: string
  pidMode: string
  utsMode: string
  usernsMode: string
  cgroupParent: string
  privileged: boolean
  readOnly: boolean
  securityOptions: string[]
  runtime: string
  sysctls: Record<string, string>
  ulimits: { name: string; soft: number; hard: number }[]
  devices: number
  deviceRequests: number
  memory: number
  memoryReservation: number
  memorySwap: number
  nanoCpus: number
  cpuQuota: number
  cpuPeriod: number
  cpuShares: number
  cpuset: string
  pids: number
  shmBytes: number
  oomScoreAdj: number
  oomKillDisable: boolean
  init: boolean
  storageOptions: boolean
  log: { driver: string; options: Record<string, string> }
}

export type FoundMount = {
  kind: string
  name: string
  source: string
  target: string
  driver: string
  writable: boolean
  propagation: string
}

export type FoundImage = {
  id: string
  tags: string[]
  digests: string[]
  config: FoundConfig
}

export type FoundVolume = {
  name: string
  driver: string
  labels: Record<string, string>
  options: Record<string, string>
}

export type FoundNetwork = { id: string; name: string; driver: string; internal: boolean }

export type FoundEngine = {
  /** Drawn when it was installed. */
  id: string
  version: string
  os: string
  swarm: string
  manager: boolean
  nodes: number | null
  liveRestore: boolean
  rootless: boolean
  rootDir: string
  containers: number
}

/** A service of a Swarm: what its tasks are made from, without what the image says. */
export type FoundService = {
  id: string
  name: string
  labels: Record<string, string>
  mode: 'replicated' | 'global' | 'job'
  replicas: number
  run: FoundConfig
  host: FoundHost
  mounts: FoundMount[]
  networks: { id: string; aliases: string[] }[]
  secrets: string[]
  configs: string[]
  stopGraceMs: number | null
}
