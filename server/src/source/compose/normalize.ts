import { posix } from 'node:path'
import { type Dict, dictOf, isDict, isList, mapDict, type Value } from './values.ts'

/** Fills in what compose takes for granted: networks, names, dependencies that other keys imply. */
export function normalize(model: Dict, project: string): Dict {
  const services = isDict(model.services) ? mapDict(model.services, (one) => service(one as Dict)) : {}
  const uses = Object.values(services).some((one) => isDict(one) && isDict(one.networks) && 'default' in one.networks)
  const networks = isDict(model.networks) ? model.networks : {}
  const needed = uses && !('default' in networks) ? { ...networks, default: null } : networks
  return {
    ...model,
    name: project,
    services,
    networks: mapDict(named(needed, project), (one) => ({ ...(one as Dict), ipam: (one as Dict).ipam ?? {} })),
    volumes: named(model.volumes, project),
    configs: named(model.configs, project),
    secrets: named(model.secrets, project),
  }
}

function named(section: Value | undefined, project: string): Dict {
  if (!isDict(section)) return {}
  return mapDict(section, (value, key) => {
    const entry = isDict(value) ? value : {}
    return { ...entry, name: entry.name ?? (entry.external === true ? key : `${project}_${key}`) }
  })
}

function service(value: Dict): Dict {
  const changes: Record<string, Value | undefined> = {
    command: value.command ?? null,
    entrypoint: value.entrypoint ?? null,
    depends_on: dependsOn(value),
    dns: isList(value.dns) ? value.dns.filter((server) => server !== '') : value.dns,
    networks: networksOf(value),
    build: isDict(value.build) ? withDockerfile(value.build) : value.build,
    deploy: isDict(value.deploy) ? deployOf(value.deploy, value.scale) : value.deploy,
    pull_policy: value.pull_policy === 'if_not_present' ? 'missing' : value.pull_policy,
    volumes: isList(value.volumes) ? value.volumes.map((mount) => cleanTarget(mount as Dict)) : value.volumes,
  }
  return dictOf([...Object.entries(value).filter(([key]) => !(key in changes)), ...Object.entries(changes)])
}

function networksOf({ networks, network_mode }: Dict): Value | undefined {
  const none = !isDict(networks) || Object.keys(networks).length === 0
  return none && network_mode === undefined ? { default: null } : networks
}

function deployOf(deploy: Dict, scale: Value | undefined): Dict {
  const replicas = deploy.replicas ?? scale
  return { resources: {}, placement: {}, ...deploy, ...(replicas !== undefined && { replicas }) }
}

const withDockerfile = (build: Dict): Dict =>
  build.dockerfile_inline === undefined ? { dockerfile: 'Dockerfile', ...build } : build

const cleanTarget = (mount: Dict): Dict =>
  typeof mount.target === 'string' ? { ...mount, target: posix.normalize(mount.target).replace(/(.)\/$/, '$1') } : mount

/** Whoever shares something of another service needs it to run. */
function dependsOn(service: Dict): Dict | undefined {
  const said = isDict(service.depends_on) ? service.depends_on : {}
  const implied = new Map<string, Dict>()
  const imply = (name: string, restart: boolean) => {
    if (name !== '' && !implied.has(name))
      implied.set(name, { condition: 'service_started', required: true, ...(restart && { restart }) })
  }
  for (const link of isList(service.links) ? service.links : []) imply(String(link).split(':')[0] ?? '', true)
  for (const key of ['network_mode', 'ipc', 'pid', 'uts']) {
    const [kind, name = ''] = String(service[key] ?? '').split(':')
    if (kind === 'service') imply(name, true)
  }
  for (const from of isList(service.volumes_from) ? service.volumes_from : []) {
    const [name = ''] = String(from).split(':')
    if (name !== 'container') imply(name, false)
  }
  const all = dictOf([
    ...implied,
    ...Object.entries(said).map(([name, one]) => [name, { required: true, ...(one as Dict) }] as const),
  ])
  return Object.keys(all).length === 0 ? undefined : all
}
