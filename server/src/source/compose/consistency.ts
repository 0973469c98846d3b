import { fault, type Place } from './faults.ts'
import type { ComposeProject, NormalService } from './project.ts'
import type { Origins } from './reading.ts'

/** A place inside of the service; the file is the one that said that key. */
type Where = (...keys: (string | number)[]) => Place
type Rule = (service: NormalService, where: Where, project: ComposeProject) => void

/** What fits the shape and still makes no sense. Only services that take part are looked at. */
export function checkConsistency(project: ComposeProject, origins: Origins, asleep: ReadonlySet<string>): void {
  for (const [name, service] of Object.entries(project.services)) {
    const where: Where = (...keys) => origins.at('services', name, ...keys.map(String))
    for (const rule of RULES) rule(service, where, project)
    for (const [other, { required }] of Object.entries(service.depends_on ?? {})) {
      const there = Object.hasOwn(project.services, other) || (!required && asleep.has(other))
      if (!there) throw noSuchService(where('depends_on', other), asleep.has(other))
    }
  }
  refuseCycles(project, origins)
}

const noSuchService = (place: Place, asleep: boolean) =>
  asleep
    ? fault(
        place,
        'that service belongs to a profile that is not active',
        'Activate the profile, or add required: false.',
      )
    : fault(place, 'there is no such service', 'Correct the name, or add the service.')

const source: Rule = ({ image, build }, where) => {
  if (!image && !build) throw fault(where(), 'it has neither an image nor a build', 'Add image or build.')
  if (build?.dockerfile_inline !== undefined && build.dockerfile !== undefined) {
    throw fault(where('build'), 'it has both dockerfile and dockerfile_inline', 'Keep one of the two.')
  }
}

const platforms: Rule = ({ build, platform }, where) => {
  const named = Array.isArray(build?.platforms) ? build.platforms : []
  if (typeof platform === 'string' && named.length > 0 && !named.includes(platform)) {
    throw fault(where('platform'), 'build.platforms does not list it', 'Add it to build.platforms.')
  }
}

const health: Rule = ({ healthcheck }, where) => {
  const [kind] = healthcheck?.test ?? []
  if (kind !== undefined && !['CMD', 'CMD-SHELL', 'NONE'].includes(kind)) {
    throw fault(where('healthcheck', 'test'), 'the list begins with neither CMD, CMD-SHELL nor NONE', 'Begin with one.')
  }
}

const networks: Rule = (service, where, project) => {
  const names = Object.keys(service.networks ?? {})
  if (service.network_mode !== undefined && names.length > 0) {
    throw fault(where('network_mode'), 'it has both network_mode and networks', 'Keep one of the two.')
  }
  for (const name of names) defined(project.networks, name, where('networks', name), 'network')
}

const mounts: Rule = ({ volumes = [], configs = [], secrets = [], build }, where, project) => {
  for (const [n, { type, source: name }] of volumes.entries()) {
    if (type === 'volume' && name) defined(project.volumes, name, where('volumes', n), 'volume')
    if (type === 'bind' && !name) throw fault(where('volumes', n), 'a bind has no source', 'Add the source.')
  }
  for (const [n, one] of configs.entries()) defined(project.configs, one.source, where('configs', n), 'config')
  for (const [n, one] of secrets.entries()) defined(project.secrets, one.source, where('secrets', n), 'secret')
  for (const one of build?.secrets ?? []) defined(project.secrets, one.source, where('build', 'secrets'), 'secret')
}

function defined(section: Record<string, unknown>, name: string, place: Place, noun: string): void {
  if (Object.hasOwn(section, name)) return
  throw fault(place, `there is no ${noun} of that name`, `Define it under ${noun}s, at the top level of the file.`)
}

const twice: Rule = (service, where) => {
  const limits = service.deploy?.resources.limits
  const reserved = service.deploy?.resources.reservations
  // Limits that are there without this one say "none", which differs too.
  const pairs: [string, unknown, string, unknown][] = [
    ['scale', service.scale, 'deploy.replicas', service.deploy?.replicas],
    ['cpus', service.cpus, 'deploy.resources.limits.cpus', limits && (limits.cpus ?? 0)],
    ['mem_limit', service.mem_limit, 'deploy.resources.limits.memory', limits && (limits.memory ?? '0')],
    ['pids_limit', service.pids_limit, 'deploy.resources.limits.pids', limits && (limits.pids ?? 0)],
    [
      'mem_reservation',
      service.mem_reservation,
      'deploy.resources.reservations.memory',
      reserved && (reserved.memory ?? '0'),
    ],
  ]
  for (const [key, one, other, two] of pairs) {
    const differ = one !== undefined && two !== undefined && one !== two
    if (differ) throw fault(where(key), `${other} says something else`, 'Keep one of the two.')
  }
  if (service.container_name && (service.scale ?? service.deploy?.replicas ?? 1) > 1) {
    throw fault(where('container_name'), 'several containers cannot have one name', 'Remove the name, or the scale.')
  }
}

const RULES: Rule[] = [source, platforms, health, networks, mounts, twice]

function refuseCycles({ services }: ComposeProject, origins: Origins): void {
  const done = new Set<string>()
  for (const start of Object.keys(services)) {
    const trail: string[] = [start]
    const pending = [neighbours(services, start)]
    const on = new Set([start])
    while (pending.length > 0) {
      const next = pending.at(-1)?.pop()
      if (next === undefined) {
        pending.pop()
        const left = trail.pop() ?? ''
        on.delete(left)
        done.add(left)
      } else if (on.has(next)) {
        const circle = [...trail.slice(trail.indexOf(next)), next].join(' → ')
        throw fault(
          origins.at('services', next, 'depends_on'),
          `services wait for each other: ${circle}`,
          'Break the circle.',
        )
      } else if (!done.has(next)) {
        trail.push(next)
        on.add(next)
        pending.push(neighbours(services, next))
      }
    }
  }
}

function neighbours(services: ComposeProject['services'], name: string): string[] {
  const service = Object.hasOwn(services, name) ? services[name] : undefined
  return Object.keys(service?.depends_on ?? {})
}
