import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { portOf, type Release } from '../rows/release.ts'
import { mixVariables } from '../rows/used-variables.ts'
import { predecessorsOf } from './exclusive.ts'

/**
 * What came up of one release, and the others as they were: each with the port that it really listens on. One that was
 * to be replaced under another name stays where that one did not come up: it has the data.
 */
export function mixOf(wanted: Release, before: Release, came: (service: string) => boolean): Release {
  const isThere = (name: string) => before.services.some(({ service }) => service === name)
  const were = before.services
  const isPart = (name: string) => wanted.services.some(({ service }) => service === name)
  const replacedBy = (spec: ServiceSpec) => predecessorsOf(spec, wanted.services, were)
  const taken = gaveWay(wanted, before, came)
  const all = wanted.services.flatMap((spec) => {
    if (came(spec.service)) return [spec]
    const old = were.filter(({ service }) => service === spec.service)
    const replaced = replacedBy(spec).filter(({ service }) => !isPart(service))
    return [...old, ...replaced].filter((one) => !taken.has(one))
  })
  const services = [...new Set(all)]
  const stayed = services.map(({ service }) => service).filter((name) => !came(name) && isThere(name))
  const ports = { ...wanted.ports, ...Object.fromEntries(stayed.map((name) => [name, portOf(before, name)])) }
  const variables = mixVariables(wanted, before, came)
  return { ...wanted, services, ports, variables }
}

/** What stopped because something that came up has taken over what only one can have. */
export const gaveWay = (wanted: Release, before: Release, came: (service: string) => boolean): Set<ServiceSpec> =>
  new Set(
    wanted.services
      .filter(({ service }) => came(service))
      .flatMap((spec) => predecessorsOf(spec, wanted.services, before.services)),
  )
