import type { Warning } from '../faults.ts'
import type { ComposeProject, NormalService } from '../project.ts'

type Told = Record<string, string>

const NO_EFFECT = 'It means nothing for a deployment.'

/** Keys that a deployment cannot honour, and what happens instead. */
const SERVICE: Told = {
  annotations: 'Annotations are not set; use labels.',
  attach: NO_EFFECT,
  blkio_config: 'Disk use is not limited.',
  cgroup: 'The container has a control group of its own.',
  cgroup_parent: 'The container has a control group of its own.',
  cpu_count: 'Processors are limited by cpus only.',
  cpu_percent: 'Processors are limited by cpus only.',
  cpu_period: 'Processors are limited by cpus only.',
  cpu_quota: 'Processors are limited by cpus only.',
  cpu_rt_period: 'Processors are limited by cpus only.',
  cpu_rt_runtime: 'Processors are limited by cpus only.',
  cpu_shares: 'Processors are limited by cpus only.',
  cpuset: 'The container may run on every processor.',
  credential_spec: 'It is for Windows; the container runs without it.',
  develop: NO_EFFECT,
  device_cgroup_rules: 'The container sees no devices of the server.',
  devices: 'The container sees no devices of the server.',
  domainname: 'Only the hostname is set.',
  external_links: 'Containers outside of the project cannot be reached by name.',
  gpus: 'The container runs without graphics processors.',
  ipc: 'The container has a memory of its own to share; services share none with each other.',
  isolation: 'It is for Windows; the container runs without it.',
  mac_address: 'The engine chooses the address.',
  mem_reservation: 'Nothing is reserved; mem_limit is what it may use.',
  mem_swappiness: 'The setting of the server counts.',
  memswap_limit: 'Memory is limited by mem_limit; swap is not limited apart from it.',
  oom_kill_disable: 'The container is ended when it exceeds its memory.',
  oom_score_adj: 'The setting of the engine counts.',
  pid: 'The container sees its own processes only.',
  platform: 'The image is taken for the platform of the server.',
  post_start: 'The commands are not run; put them into the image or into a job that others wait for.',
  pre_stop: 'The commands are not run; let the program end itself on the stop signal.',
  privileged: 'The container runs without privileges over the server.',
  pull_refresh_after: 'The image is looked up with every deployment.',
  runtime: 'The engine’s own runtime is used.',
  storage_opt: 'The setting of the server counts.',
  use_api_socket: 'The container gets no access to the engine.',
  userns_mode: 'The setting of the engine counts.',
  uts: 'The container has a host name of its own.',
}

const BUILD: Told = {
  cache_from: 'The project’s own build cache is used.',
  cache_to: 'The project’s own build cache is used.',
  entitlements: 'The build runs without them.',
  isolation: 'It is for Windows.',
  network: 'The build uses the builder’s network.',
  platforms: 'The image is built for the platform of the server.',
  privileged: 'The build runs without privileges.',
  provenance: 'No attestation is made.',
  sbom: 'No attestation is made.',
  shm_size: 'The builder’s default counts.',
  ssh: 'The build has no SSH keys; use a build secret.',
  tags: 'The image is kept under a name of ours.',
  ulimits: 'The builder’s limits count.',
}

const DEPLOY: Told = {
  endpoint_mode: 'Every container is found by name at its own address.',
  labels: 'They are not set; labels of the service are set on its containers.',
  placement: 'The service runs where its project runs.',
  rollback_config: 'A failed rollout goes back to the release before, service by service.',
}

const RESERVED = 'Nothing is reserved: projects share the server. Limits hold.'
const UPDATE = 'A rollout replaces one container at a time and goes back when one fails.'
const ATTACHMENT = 'Addresses and drivers of the network are chosen by the engine.'
const NETWORK = 'The network is a private one of the project.'
const MODES: Told = {
  host: 'The container does not share the network of the server; it joins the project’s default network.',
  bridge: 'The container joins the project’s default network.',
  none: 'The container gets a network of its own that leads nowhere.',
  service: 'The container has an address of its own beside the other service: reach it by name instead of localhost.',
  container: 'Containers outside of the project cannot be joined; it joins the project’s default network.',
}

/** Every key of the project that something else happens to, said out loud. */
export function unsupportedKeys(project: ComposeProject): Warning[] {
  const ofServices = Object.entries(project.services).flatMap(([name, service]) =>
    ofService(service).map(([key, message]) => ({ service: name, key, message })),
  )
  return [...ofServices, ...ofNetworks(project), ...ofVolumes(project), ...ofFiles(project)]
}

function ofService(service: NormalService): [string, string][] {
  const { build = {}, deploy, networks = {}, network_mode: mode, pull_policy: pull } = service
  const resources = deploy?.resources.reservations ?? {}
  return [
    ...told(service, SERVICE),
    ...told(build, BUILD, 'build.'),
    ...told(without(deploy, 'placement'), DEPLOY, 'deploy.'),
    ...told(present(deploy?.placement) ? { placement: true } : {}, DEPLOY, 'deploy.'),
    ...told(without(deploy?.update_config, 'order'), {}, 'deploy.update_config.', UPDATE),
    ...told(
      resources,
      { cpus: RESERVED, memory: RESERVED },
      'deploy.resources.reservations.',
      'The container runs without them.',
    ),
    ...Object.entries(networks).flatMap(([name, one]) =>
      told(without(one ?? {}, 'aliases'), {}, `networks.${name}.`, ATTACHMENT),
    ),
    ...(mode === undefined ? [] : [['network_mode', MODES[mode.split(':')[0] ?? ''] ?? NETWORK] as [string, string]]),
    ...(pull === undefined || pull === 'always' || pull === 'build'
      ? []
      : [['pull_policy', 'The image is looked up with every deployment.'] as [string, string]]),
    ...told(dependencies(service), {}, 'depends_on.', 'A service is not restarted because another one is.'),
  ]
}

/** Those that links and shared networks imply are not the user's words. */
function dependencies({ depends_on: said = {}, links = [], ...service }: NormalService): Told {
  const implied = [...links, service.network_mode, service.ipc, service.pid, service.uts].map(String).join(' ')
  return Object.fromEntries(
    Object.entries(said)
      .filter(([name, { restart }]) => restart && !implied.includes(name))
      .map(([name]) => [`${name}.restart`, 'true']),
  )
}

function ofNetworks({ networks, name: project }: ComposeProject): Warning[] {
  return Object.entries(networks).flatMap(([key, network]) => {
    const { name, external, driver, internal: _, ipam, ...rest } = network
    const named = external ? name !== key : name !== `${project}_${key}`
    const said = {
      ...rest,
      ...(external && { external }),
      ...(named && { name }),
      ...(present(ipam) && { ipam }),
      ...(['bridge', 'overlay', 'default', 'undefined'].includes(String(driver)) ? {} : { driver }),
    }
    const message = external
      ? 'It is not joined: other projects are out of reach. The service gets a private one.'
      : NETWORK
    return told(said, {}, `networks.${key}.`, message).map(([path, text]) => ({
      service: null,
      key: path,
      message: text,
    }))
  })
}

function ofVolumes({ volumes, name: project }: ComposeProject): Warning[] {
  return Object.entries(volumes).flatMap(([key, { name, external, labels }]) => {
    const named = !external && name !== `${project}_${key}`
    const said = { ...(external && { external }), ...(named && { name }), ...(labels && { labels }) }
    const messages = {
      external: 'Volumes of the server are not shared between projects: it begins empty, as a volume of this project.',
      name: 'The volume belongs to this project and is named after it.',
      labels: 'They are not set.',
    }
    return told(said, messages, `volumes.${key}.`).map(([path, message]) => ({ service: null, key: path, message }))
  })
}

function ofFiles({ configs, secrets, name: project }: ComposeProject): Warning[] {
  const sections = Object.entries({ configs, secrets })
  return sections.flatMap(([section, files]) =>
    Object.entries(files).flatMap(
      ([key, { name, file: _, content: __, environment: ___, external: ____, ...rest }]) => {
        const said = { ...rest, ...(name !== `${project}_${key}` && { name }) }
        return told(said, {}, `${section}.${key}.`, 'It is named and kept by the project.').map(([path, message]) => ({
          service: null,
          key: path,
          message,
        }))
      },
    ),
  )
}

function told(said: object, messages: Told, prefix = '', otherwise?: string): [string, string][] {
  return Object.entries(said).flatMap(([key, value]): [string, string][] => {
    const message = Object.hasOwn(messages, key) ? messages[key] : otherwise
    return message === undefined || value === undefined || key.startsWith('x-') ? [] : [[prefix + key, message]]
  })
}

const present = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0

function without(dict: object | undefined, key: string): object {
  return Object.fromEntries(Object.entries(dict ?? {}).filter(([name]) => name !== key))
}
