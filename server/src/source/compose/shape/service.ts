import * as k from './kinds.ts'

const ulimits = k.named(
  /^[a-zA-Z0-9]+$/,
  k.either(
    k.kept(k.integer),
    k.dict({ soft: k.kept(k.integer), hard: k.kept(k.integer) }, { required: ['soft', 'hard'] }),
  ),
)

const reference = k.either(
  k.text,
  k.dict({ source: k.text, target: k.text, uid: k.text, gid: k.text, mode: k.kept(k.amount) }),
)

const hook = k.dict({
  command: k.words,
  user: k.text,
  privileged: k.flag,
  working_dir: k.text,
  environment: k.variables,
})

const device = {
  capabilities: k.uniqueTexts,
  count: { ...k.kept(k.integer), cast: false },
  device_ids: k.uniqueTexts,
  driver: k.text,
  options: k.pairs,
}

const build = k.either(
  k.text,
  k.dict({
    context: k.text,
    dockerfile: k.text,
    dockerfile_inline: k.text,
    entitlements: k.texts,
    args: k.variables,
    ssh: k.pairs,
    labels: k.pairs,
    cache_from: k.texts,
    cache_to: k.texts,
    no_cache: k.flag,
    additional_contexts: k.pairs,
    network: k.text,
    pull: k.flag,
    target: k.text,
    shm_size: k.size,
    extra_hosts: k.hosts,
    isolation: k.text,
    privileged: k.flag,
    secrets: k.list(reference),
    tags: k.texts,
    ulimits,
    platforms: k.texts,
    provenance: k.either(k.text, k.flag),
    sbom: k.either(k.text, k.flag),
  }),
)

const limit = k.list(k.dict({ path: k.text, rate: k.size }, { open: false }))
const weight = k.list(k.dict({ path: k.text, weight: k.integer }, { open: false }))
const blkio = k.dict(
  {
    device_read_bps: limit,
    device_read_iops: limit,
    device_write_bps: limit,
    device_write_iops: limit,
    weight: k.integer,
    weight_device: weight,
  },
  { open: false },
)

const healthcheck = k.dict({
  disable: k.flag,
  interval: k.duration,
  retries: { ...k.kept(k.amount), least: 0, most: Number.MAX_SAFE_INTEGER },
  test: k.test,
  timeout: k.duration,
  start_period: k.duration,
  start_interval: k.duration,
})

const roll = k.dict({
  parallelism: k.kept(k.whole),
  delay: k.duration,
  failure_action: k.text,
  monitor: k.duration,
  max_failure_ratio: k.float,
  order: k.oneOf('start-first', 'stop-first'),
})

const generic = k.dict({ discrete_resource_spec: k.dict({ kind: k.text, value: k.amount }) })

const deploy = k.dict(
  {
    mode: k.text,
    endpoint_mode: k.text,
    replicas: k.kept(k.integer),
    labels: k.pairs,
    rollback_config: roll,
    update_config: roll,
    resources: k.dict({
      limits: k.dict({ cpus: k.float, memory: k.sizeText, pids: k.integer }),
      reservations: k.dict({
        cpus: k.float,
        memory: k.sizeText,
        generic_resources: k.list(generic),
        devices: k.list(k.dict(device, { required: ['capabilities'] })),
      }),
    }),
    restart_policy: k.dict({
      condition: k.text,
      delay: k.duration,
      max_attempts: k.kept(k.whole),
      window: k.duration,
    }),
    placement: k.dict({
      constraints: k.texts,
      preferences: k.list(k.dict({ spread: k.text })),
      max_replicas_per_node: k.whole,
    }),
  },
  { nullable: true },
)

const dependency = k.dict(
  {
    restart: k.flag,
    required: k.kept(k.flagOnly),
    condition: k.oneOf('service_started', 'service_healthy', 'service_completed_successfully'),
  },
  { required: ['condition'] },
)

const network = k.dict(
  {
    aliases: k.uniqueTexts,
    ipv4_address: k.text,
    ipv6_address: k.text,
    link_local_ips: k.uniqueTexts,
    mac_address: k.text,
    driver_opts: k.options('text', 'number'),
    priority: k.amount,
    gw_priority: k.amount,
    interface_name: k.text,
  },
  { nullable: true },
)

const port = k.dict({
  name: k.text,
  mode: k.text,
  host_ip: k.text,
  target: k.integer,
  published: { ...k.textOrNumber, takes: ['text', 'integer'] },
  protocol: k.text,
  app_protocol: k.text,
})

const mount = k.dict(
  {
    type: k.text,
    source: k.text,
    target: k.text,
    read_only: k.flag,
    consistency: k.text,
    bind: k.dict({
      propagation: k.text,
      create_host_path: k.flag,
      recursive: k.oneOf('enabled', 'disabled', 'writable', 'readonly'),
      selinux: k.oneOf('z', 'Z'),
    }),
    volume: k.dict({ nocopy: k.flag, subpath: k.text, labels: k.pairs }),
    tmpfs: k.dict({ size: k.size, mode: { ...k.amount, cast: false } }),
    image: k.dict({ subpath: k.text }),
  },
  { required: ['type'] },
)

const watch = k.dict(
  {
    ignore: k.texts,
    include: k.texts,
    path: k.text,
    action: k.oneOf('rebuild', 'sync', 'restart', 'sync+restart', 'sync+exec'),
    target: k.text,
    exec: hook,
    initial_sync: k.flag,
  },
  { required: ['path', 'action'] },
)

const envFile = k.dict({ path: k.text, format: k.text, required: k.kept(k.flag) }, { required: ['path'], open: false })

export const service = k.dict({
  annotations: k.pairs,
  attach: k.kept(k.flag),
  blkio_config: blkio,
  build,
  cap_add: k.uniqueTexts,
  cap_drop: k.uniqueTexts,
  cgroup: k.oneOf('host', 'private'),
  cgroup_parent: k.text,
  command: k.words,
  configs: k.list(reference),
  container_name: k.text,
  cpu_count: k.whole,
  cpu_percent: { ...k.float, takes: ['integer', 'text'], least: 0, most: 100 },
  cpu_period: k.amount,
  cpu_quota: k.amount,
  cpu_rt_period: k.amount,
  cpu_rt_runtime: k.amount,
  cpu_shares: k.amount,
  cpus: k.float,
  cpuset: k.text,
  credential_spec: k.dict({ config: k.text, file: k.text, registry: k.text }),
  depends_on: k.either(k.uniqueTexts, k.named(k.NAME, dependency)),
  deploy,
  develop: k.dict({ watch: k.list(watch) }, { nullable: true }),
  device_cgroup_rules: k.uniqueTexts,
  devices: k.list(
    k.either(k.text, k.dict({ source: k.text, target: k.text, permissions: k.text }, { required: ['source'] })),
  ),
  dns: k.textOrTexts,
  dns_opt: k.uniqueTexts,
  dns_search: k.textOrTexts,
  domainname: k.text,
  entrypoint: k.words,
  env_file: k.either(k.text, k.list(k.either(k.text, envFile))),
  environment: k.variables,
  expose: k.list(k.textOrNumber, true),
  extends: k.either(k.text, k.dict({ service: k.text, file: k.text }, { required: ['service'], open: false })),
  external_links: k.uniqueTexts,
  extra_hosts: k.hosts,
  gpus: k.either(k.oneOf('all'), k.list(k.dict(device))),
  group_add: k.list(k.textOrNumber, true),
  healthcheck,
  hostname: k.text,
  image: k.text,
  init: k.kept(k.flag),
  ipc: k.text,
  isolation: k.text,
  label_file: k.either(k.text, k.texts),
  labels: k.pairs,
  links: k.uniqueTexts,
  logging: k.dict({ driver: k.text, options: k.options('text', 'number', 'nothing') }),
  mac_address: k.text,
  mem_limit: k.size,
  mem_reservation: k.size,
  mem_swappiness: k.size,
  memswap_limit: k.size,
  network_mode: k.text,
  networks: k.either(k.uniqueTexts, k.named(k.NAME, network, 'nothing')),
  oom_kill_disable: k.flag,
  oom_score_adj: k.between(-1000, 1000),
  pid: k.either(k.text, k.nothing),
  pids_limit: k.amount,
  platform: k.text,
  ports: k.list(k.either({ ...k.textOrNumber, takes: ['number', 'text'] }, port), true),
  post_start: k.list(hook),
  pre_stop: k.list(hook),
  privileged: k.flag,
  profiles: k.uniqueTexts,
  pull_policy: k.text,
  pull_refresh_after: k.text,
  read_only: k.flag,
  restart: k.text,
  runtime: k.text,
  scale: k.kept(k.integer),
  secrets: k.list(reference),
  security_opt: k.uniqueTexts,
  shm_size: k.size,
  stdin_open: k.flag,
  stop_grace_period: k.duration,
  stop_signal: k.text,
  storage_opt: k.options('text', 'number', 'flag', 'nothing'),
  sysctls: k.pairs,
  tmpfs: k.textOrTexts,
  tty: k.flag,
  ulimits,
  use_api_socket: k.flag,
  user: k.text,
  userns_mode: k.text,
  uts: k.text,
  volumes: k.list(k.either(k.text, mount), true),
  volumes_from: k.uniqueTexts,
  working_dir: k.text,
})
