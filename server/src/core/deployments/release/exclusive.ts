import type { ServiceSpec, VolumeMount } from '../../../drivers/runtime/rollout/spec.ts'

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
const sharesWith = (services: ServiceSpec[], spec: ServiceSpec, name: string): boolean =>
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
