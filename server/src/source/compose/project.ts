/**
 * The normal form of a compose project: what `docker compose config --format json` says, with paths seen from the root
 * of the source (`.` is the root itself). Sizes are bytes as text, durations are written as `1m30s`.
 */
export type ComposeProject = {
  name: string
  services: Record<string, NormalService>
  networks: Record<string, NormalNetwork>
  volumes: Record<string, NormalVolume>
  configs: Record<string, NormalFile>
  secrets: Record<string, NormalFile>
  [extension: `x-${string}`]: unknown
}

type Texts = Record<string, string>

/** Keys that a deployment reads. Those that it cannot honour are in the normal form too, and named in warnings. */
export type NormalService = {
  image?: string
  build?: NormalBuild
  command: string[] | null
  entrypoint: string[] | null
  environment?: Record<string, string | null>
  ports?: NormalPort[]
  expose?: string[]
  volumes?: NormalMount[]
  tmpfs?: string[]
  configs?: NormalReference[]
  secrets?: NormalReference[]
  networks?: Record<string, NormalAttachment | null>
  network_mode?: string
  links?: string[]
  depends_on?: Record<string, { condition: Condition; required: boolean; restart?: boolean }>
  healthcheck?: NormalHealthcheck
  deploy?: NormalDeploy
  scale?: number
  restart?: string
  user?: string
  working_dir?: string
  hostname?: string
  container_name?: string
  cap_add?: string[]
  cap_drop?: string[]
  group_add?: string[]
  shm_size?: string
  mem_limit?: string
  mem_reservation?: string
  cpus?: number
  pids_limit?: number
  ulimits?: Record<string, number | { soft: number; hard: number }>
  logging?: { driver?: string; options?: Texts }
  extra_hosts?: string[]
  dns?: string[]
  dns_opt?: string[]
  dns_search?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  stop_signal?: string
  init?: boolean
  read_only?: boolean
  tty?: boolean
  stdin_open?: boolean
  sysctls?: Texts
  labels?: Texts
  profiles?: string[]
  pull_policy?: string
  [other: string]: unknown
}

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully'

export type NormalBuild = {
  context: string
  dockerfile?: string
  dockerfile_inline?: string
  args?: Texts
  target?: string
  labels?: Texts
  additional_contexts?: Texts
  extra_hosts?: string[]
  secrets?: NormalReference[]
  no_cache?: boolean
  pull?: boolean
  [other: string]: unknown
}

export type NormalPort = {
  mode: string
  target: number
  published?: string
  host_ip?: string
  protocol: string
  name?: string
  app_protocol?: string
}

export type NormalMount = {
  type: string
  source?: string
  target: string
  read_only?: boolean
  consistency?: string
  bind?: { propagation?: string; create_host_path?: boolean; recursive?: string; selinux?: string }
  volume?: { nocopy?: boolean; subpath?: string }
  tmpfs?: { size?: string; mode?: number }
}

export type NormalReference = { source: string; target?: string; uid?: string; gid?: string; mode?: number }

type NormalAttachment = { aliases?: string[]; [other: string]: unknown }

export type NormalHealthcheck = {
  test?: string[]
  interval?: string
  timeout?: string
  retries?: number
  start_period?: string
  start_interval?: string
  disable?: boolean
}

type NormalDeploy = {
  mode?: string
  replicas?: number
  resources: {
    limits?: { cpus?: number; memory?: string; pids?: number }
    reservations?: { cpus?: number; memory?: string; devices?: unknown[]; generic_resources?: unknown[] }
  }
  restart_policy?: { condition?: string; delay?: string; max_attempts?: number; window?: string }
  update_config?: { order?: string; [other: string]: unknown }
  placement: Record<string, unknown>
  [other: string]: unknown
}

type NormalNetwork = {
  name: string
  external?: boolean
  internal?: boolean
  ipam: Record<string, unknown>
  [other: string]: unknown
}

export type NormalVolume = {
  name: string
  external?: boolean
  driver?: string
  driver_opts?: Texts
  labels?: Texts
  [extension: `x-${string}`]: unknown
}

/** A config or a secret. */
export type NormalFile = {
  name: string
  external?: boolean
  file?: string
  environment?: string
  content?: string
  [other: string]: unknown
}
