import type { ServiceSpec, VolumeMount } from '../../../drivers/runtime/rollout/spec.ts'
import type { Wait } from '../blueprint/blueprint.ts'
import type { Release } from '../release/release.ts'

/** Whether both cannot run at the same time: they write to one volume, or open one port of the machine. */
export function excludes(taker: ServiceSpec, holder: ServiceSpec): boolean {
  const written = holder.volumes.filter(({ readOnly }) => !readOnly)
  const volume = taker.volumes.some(
    (mount) => !taker.canShare && !mount.readOnly && written.some((other) => overlaps(mount, other)),
  )
  const port = (taker.ports ?? []).some(({ published, protocol }) =>
    (holder.ports ?? []).some((other) => other.published === published && other.protocol === protocol),
  )
  return volume || port
}

/** A volume as a whole, or a folder of it: one folder may lie in the other. */
function overlaps(a: VolumeMount, b: VolumeMount): boolean {
  const [x = '/', y = '/'] = [a, b].map(({ subpath = '' }) => `${subpath.split('/').filter(Boolean).join('/')}/`)
  return a.name === b.name && (x === '/' || y === '/' || x.startsWith(y) || y.startsWith(x))
}

/** Services of one release that want the same thing share it on purpose. */
export const sharesWith = (services: ServiceSpec[], spec: ServiceSpec, name: string): boolean =>
  services.some((other) => other.service === name && excludes(spec, other))

/**
 * Those of the release before that have something which this service takes over: they stop before it starts. A service that
 * keeps it shares it, and so does one that shared it with this one before.
 */
export function predecessorsOf(spec: ServiceSpec, services: ServiceSpec[], before: ServiceSpec[]): ServiceSpec[] {
  const was = before.find(({ service }) => service === spec.service)
  return before.filter(
    (holder) =>
      holder.service !== spec.service &&
      !holder.job &&
      excludes(spec, holder) &&
      !sharesWith(services, spec, holder.service) &&
      !(was && excludes(was, holder)),
  )
}

type Order = { services: ServiceSpec[]; after: Record<string, Wait[]> }

/**
 * The order in which a release is brought up: by what the services say of each other, and whoever takes something over
 * from one that stays waits until that one has let go of it. Where that would make a circle the holder is stopped first.
 */
export function orderOf({ services, after = {} }: Pick<Release, 'services' | 'after'>, before: ServiceSpec[]): Order {
  const waits = new Map(services.map(({ service }) => [service, [...(after[service] ?? [])]]))
  for (const spec of services) {
    for (const { service: holder } of predecessorsOf(spec, services, before)) {
      if (!waits.has(holder) || reaches(waits, holder, spec.service)) continue
      waits.get(spec.service)?.push({ service: holder, until: 'healthy', required: true })
    }
  }
  const sorted: ServiceSpec[] = []
  const place = (spec: ServiceSpec) => {
    if (sorted.includes(spec)) return
    for (const { service } of waits.get(spec.service) ?? []) {
      const first = services.find((one) => one.service === service)
      if (first) place(first)
    }
    sorted.push(spec)
  }
  services.forEach(place)
  return { services: sorted, after: Object.fromEntries(waits) }
}

/** Whether one waits for the other, by however many steps. */
function reaches(waits: Map<string, Wait[]>, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return (waits.get(from) ?? []).some(({ service }) => reaches(waits, service, to, seen))
}
