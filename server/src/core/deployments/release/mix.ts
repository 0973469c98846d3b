import { portOf, type Release } from './release.ts'

/** What came up of one release, and the others as they were: each with the port that it really listens on. */
export function mixOf(wanted: Release, before: Release, came: (service: string) => boolean): Release {
  const isThere = (name: string) => before.services.some(({ service }) => service === name)
  const services = wanted.services.flatMap((spec) => {
    if (came(spec.service)) return [spec]
    return before.services.filter(({ service }) => service === spec.service)
  })
  const stayed = services.map(({ service }) => service).filter((name) => !came(name) && isThere(name))
  const ports = { ...wanted.ports, ...Object.fromEntries(stayed.map((name) => [name, portOf(before, name)])) }
  return { ...wanted, services, ports }
}
