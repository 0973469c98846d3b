import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'
import { isAnonymous } from './carry-over/mounts.ts'
import { nameOf } from './carry-over/process.ts'
import { shown } from './carry-over/verdict.ts'
import type { Discovery } from './discover.ts'
import { serviceNameOf } from './service-name.ts'
import type { Parked } from './stack-files.ts'
import type { Unit } from './units.ts'

const MOST_NAMES = 1000
const MOST_WORDS = 200
const WORD = 200

/** What may be shown of a server: no value of a variable, none of a label. Whatever its owner wrote is one line of plain text. Pure. */
export function describe(found: Discovery): MigrationStack {
  const { engine, units, ports } = found
  const of = (unit: Unit) => describeUnit(unit)
  const keysBy = (uses: (unit: Unit) => string[]) => {
    const users = Map.groupBy(
      units.flatMap((unit) => [...new Set(uses(unit))].map((name) => ({ name, key: unit.key }))),
      ({ name }) => name,
    )
    return (name: string) => (users.get(name) ?? []).map(({ key }) => key)
  }
  const usersOf = keysBy(({ containers }) => containers.flatMap(({ mounts }) => mounts.map(({ name }) => name)))
  const joinersOf = keysBy(({ containers }) => containers.flatMap(({ networks }) => networks.map(({ name }) => name)))
  return {
    server: {
      engineVersion: shown(engine.version),
      os: shown(engine.os),
      swarm: shown(engine.swarm),
      ...{ manager: engine.manager, nodes: engine.nodes, liveRestore: engine.liveRestore, rootless: engine.rootless },
      ports,
    },
    composeStacks: stacksOf(found).map(({ units, ...stack }) => ({ ...stack, services: units.map(of) })),
    parked: found.parked.map((file) => describeParked(file, found)),
    containers: units.filter(({ stack }) => stack === null).map(of),
    volumes: found.volumes.map((volume) => ({
      name: shown(volume.name),
      driver: shown(volume.driver),
      anonymous: isAnonymous(volume, volume.name),
      device: volume.options.device === undefined ? null : shown(volume.options.device),
      sizeBytes: found.sizes?.get(volume.name) ?? null,
      usedBy: usersOf(volume.name),
      ours: volume.labels['slipway.instance'] !== undefined,
    })),
    networks: found.networks.map(({ name, driver, internal }) => ({
      ...{ name: shown(name), driver: shown(driver), internal },
      joinedBy: joinersOf(name),
    })),
    warnings: found.warnings,
  }
}

function stacksOf({ units, files }: Discovery) {
  const stacks = Map.groupBy(
    units.filter(({ stack }) => stack !== null),
    ({ stack, maker }) => `${maker === 'swarm' ? 'swarm' : 'compose'}/${stack}`,
  )
  return [...stacks.entries()].map(([key, members]) => {
    const [first] = members as [Unit]
    const read = files.get(key)
    return {
      name: shown(first.stack ?? ''),
      maker: first.maker ?? ('swarm' as const),
      workingDir: first.origin?.workingDir ? shown(first.origin.workingDir) : null,
      platform: members.find(({ platform }) => platform !== null)?.platform ?? null,
      files: (read?.files ?? []).map((file) => ({ ...file, path: shown(file.path) })),
      differences: (read?.differences ?? []).map((one) => ({ ...one, service: shown(one.service) })),
      units: members,
    }
  })
}

/** A stack whose file is gone, and a file of the same services elsewhere: its folder was moved. */
function describeParked(
  { path, name, services, reason }: Parked,
  { units, files }: Discovery,
): MigrationStack['parked'][number] {
  const gone = [...files].find(([key, read]) => {
    if (!read.files.some((file) => file.reason === 'missing') || services.length === 0) return false
    const there = units.filter(({ stack, maker }) => key === `compose/${stack}` && maker !== 'swarm')
    const names = new Set(there.map((unit) => unit.name))
    const isForeign = there.some(({ platform }) => platform !== null)
    return !isForeign && names.size === services.length && services.every((one) => names.has(one))
  })
  const movedFrom = gone?.[1].files.find((file) => file.reason === 'missing')?.path ?? null
  return {
    ...{ path: shown(path), name: shown(name), reason },
    services: services.slice(0, MOST_NAMES).map(shown),
    movedFrom: movedFrom && shown(movedFrom),
  }
}

function describeUnit(unit: Unit): MigrationService {
  const { key, name, containers, replicas, platform, carried, names } = unit
  const [first] = containers as [Unit['containers'][number]]
  const { service, image, reasons, warnings } = carried
  return {
    ...{ key, name: shown(name), serviceName: serviceNameOf(name), replicas, platform },
    containerId: first.id === '' ? null : first.id.slice(0, 12),
    image: shown(first.run.image),
    digest: image.id === '' ? null : shown(image.pinned ? image.reference : image.id),
    onlyHere: image.onlyHere,
    command: [...(service.entrypoint ?? []), ...(service.command ?? [])].slice(0, MOST_WORDS).map(word),
    ports: portsOf(first),
    volumes: volumesOf(unit),
    environment: namesOf(first.run.environment.map(nameOf)),
    networks: first.networks.map(({ name, aliases }) => ({ network: shown(name), aliases: namesOf(aliases) })),
    labels: namesOf(Object.keys(first.run.labels)),
    names: names.map((one) => ({ ...one, path: one.path && shown(one.path) })),
    restart: shown(first.host.restart.name),
    health: first.state.health && shown(first.state.health),
    status: shown(first.state.status),
    adoptable: reasons.length === 0,
    reasons,
    warnings,
  }
}

const word = (text: string) => (text.length > WORD ? `${text.slice(0, WORD)}…` : text).toWellFormed()
const namesOf = (names: string[]) => [...new Set(names)].sort().slice(0, MOST_NAMES).map(shown)

const portsOf = ({ host, openPorts }: Unit['containers'][number]): MigrationService['ports'] =>
  host.ports.map(({ target, protocol, address, published }) => {
    const chance = openPorts.find((one) => one.target === target && one.protocol === protocol)?.published
    const isEverywhere = ['', '0.0.0.0', '::'].includes(address)
    return {
      ...{ target, protocol: shown(protocol), address: isEverywhere ? null : shown(address) },
      published: Number.parseInt(published, 10) || chance || null,
    }
  })

function volumesOf({ carried }: Unit): MigrationService['volumes'] {
  const there = carried.inPlace.map((mount) => ({
    name: mount.kind === 'volume' ? shown(mount.source) : null,
    source: mount.kind === 'path' ? shown(mount.source) : null,
    target: shown(mount.target),
    kind: mount.kind === 'volume' && mount.anonymous ? ('anonymous' as const) : mount.kind,
    readOnly: mount.readOnly,
    existing: true,
  }))
  const memory = carried.service.mounts.map(({ target }) => {
    return { name: null, source: null, target: shown(target), kind: 'tmpfs' as const, readOnly: false, existing: false }
  })
  return [...there, ...memory]
}
