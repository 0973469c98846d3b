import type { AdoptedWarning } from '@slipway/contract/migration'
import type { AdoptedService } from '../deployments/rows/adopted-store.ts'
import type { ComposePlan, Wait } from '../deployments/rows/blueprint.ts'
import { ALONE } from './carry-over/network.ts'
import { shown } from './carry-over/verdict.ts'
import type { Discovery } from './discover.ts'
import { serviceNameOf } from './service-name.ts'
import type { Unit } from './units.ts'

type NewGrant = { kind: 'volume' | 'path'; source: string; device: string | null; writable: boolean }
export type Adoption = {
  services: Omit<AdoptedService, 'serverId'>[]
  grants: NewGrant[]
  warnings: AdoptedWarning[]
}

type Named = Map<Unit, string>
type Waits = ReadonlyMap<Unit, { service: string; condition: string }[]>

/** What is recorded of the chosen services. Pure: the same discovery and choice give the same project. */
export function planAdoption(found: Discovery, chosen: Unit[]): Adoption {
  const names = nameAll(chosen)
  const waits: Waits = new Map(chosen.map((unit) => [unit, waitsOf(unit, found)]))
  const warnings = chosen.flatMap((unit) => warningsFor(unit, { names, chosen, found, waits }))
  const awaited = completedBy(chosen, waits)
  const services = chosen.map((unit) => ({
    name: names.get(unit) ?? '',
    key: unit.key,
    plan: {
      compose: { ...planOf(unit, names.get(unit) ?? ''), ...(awaited.has(unit) && { kind: 'job' as const }) },
      after: afterOf(unit, { names, waits }),
      internal: internalOf(unit, found),
      led: unit.names.length > 0,
    },
  }))
  return { services: withoutCircles(services, warnings), grants: grantsOf(chosen), warnings }
}

/** As a project may call them; told apart by their stacks where two would have one name. */
function nameAll(chosen: Unit[]): Named {
  const names: Named = new Map()
  const taken = new Set<string>()
  const count = Map.groupBy(chosen, ({ name }) => serviceNameOf(name))
  for (const unit of chosen) {
    const plain = serviceNameOf(unit.name)
    const isAlone = (count.get(plain) ?? []).length === 1
    const wanted = isAlone ? plain : serviceNameOf(`${plain.slice(0, 40)}-${unit.stack ?? 'own'}`)
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, 58)}-${n}`
    taken.add(name)
    names.set(unit, name)
  }
  return names
}

function planOf({ carried, name, names }: Unit, called: string): ComposePlan {
  const { service, image, inPlace } = carried
  const [led] = names.flatMap(({ port }) => (port === null ? [] : [{ port, protocol: 'tcp' as const }]))
  return {
    ...service,
    // Where the proxy led to is where visitors are to be led.
    exposed: led ? [led, ...service.exposed.filter(({ port }) => port !== led.port)] : service.exposed,
    networks: service.networks.map(({ network, aliases }) => ({
      network,
      aliases: network.startsWith(`${ALONE}-`)
        ? []
        : [...new Set([called, ...(isName(name) ? [name] : []), ...aliases])],
    })),
    image: null,
    build: null,
    files: [],
    buildSecrets: {},
    memoryVolumes: {},
    mountedHash: null,
    adopted: {
      image: { reference: image.reference, id: image.id },
      mounts: inPlace.map((mount) => ({
        ...{ kind: mount.kind, source: mount.source, target: mount.target, readOnly: mount.readOnly },
        copy: mount.kind === 'volume' ? mount.copy : true,
        subpath: mount.kind === 'volume' ? mount.subpath : null,
      })),
    },
  }
}

const isName = (name: string) => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(name)

const internalOf = ({ carried }: Unit, { networks }: Discovery) =>
  carried.service.networks
    .map(({ network }) => network)
    .filter((key) => key.startsWith(`${ALONE}-`) || networks.some(({ name, internal }) => name === key && internal))

/** Whom it waits for in its own stack: as its labels say, else as its file does. */
function waitsOf({ origin, name }: Unit, { files }: Discovery) {
  if (origin === null) return []
  return origin.dependsOn ?? files.get(`compose/${origin.project}`)?.dependsOn.get(name) ?? []
}

const UNTIL: Record<string, Wait['until']> = {
  service_healthy: 'healthy',
  service_completed_successfully: 'completed',
}

const neighbour = (unit: Unit, service: string) => (other: Unit) =>
  other.stack === unit.stack && other.maker !== 'swarm' && other.name === service

function afterOf(unit: Unit, { names, waits }: { names: Named; waits: Waits }): Wait[] {
  return (waits.get(unit) ?? []).flatMap(({ service, condition }) => {
    const other = [...names].find(([one]) => neighbour(unit, service)(one))
    return other ? [{ service: other[1], until: UNTIL[condition] ?? 'started', required: true }] : []
  })
}

/** What others wait for the end of, is a job. */
const completedBy = (chosen: Unit[], waits: Waits) =>
  new Set(
    chosen.flatMap((unit) =>
      (waits.get(unit) ?? [])
        .filter(({ condition }) => condition === 'service_completed_successfully')
        .flatMap(({ service }) => chosen.filter(neighbour(unit, service))),
    ),
  )

/** Labels may say anything, also that two wait for each other. */
function withoutCircles(services: Adoption['services'], warnings: AdoptedWarning[]): Adoption['services'] {
  const left = new Set(services)
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const one of left)
      if (one.plan.after.every(({ service }) => ![...left].some(({ name }) => name === service))) left.delete(one)
  }
  if (left.size === 0) return services
  for (const { name } of left)
    warnings.push({
      service: name,
      key: 'depends_on',
      message: 'It waits for others that wait for it: they start in no order.',
    })
  return services.map((one) => (left.has(one) ? { ...one, plan: { ...one.plan, after: [] } } : one))
}

function grantsOf(chosen: Unit[]): NewGrant[] {
  const grants = new Map<string, NewGrant>()
  for (const mount of chosen.flatMap(({ carried }) => carried.inPlace)) {
    const { kind, source, readOnly } = mount
    const known = grants.get(`${kind} ${source}`)
    const device = mount.kind === 'volume' ? mount.device : null
    grants.set(`${kind} ${source}`, { kind, source, device, writable: !readOnly || known?.writable === true })
  }
  return [...grants.values()]
}

type Around = { names: Named; chosen: Unit[]; found: Discovery; waits: Waits }

function warningsFor(unit: Unit, { names, chosen, found, waits }: Around): AdoptedWarning[] {
  const service = names.get(unit) ?? ''
  const warn = (key: string, message: string) => ({ service, key, message })
  const lonely = (waits.get(unit) ?? [])
    .filter(({ service: other }) => !chosen.some(neighbour(unit, other)))
    .map(({ service: other }) => warn('depends_on', `It waits for ${shown(other)}, which is not chosen.`))
  const shared = unit.carried.service.networks.flatMap(({ network }) => {
    const others = found.units.filter(
      (one) =>
        !chosen.includes(one) && one.containers.some(({ networks }) => networks.some(({ name }) => name === network)),
    )
    const named = others.slice(0, 5).map(({ name }) => shown(name))
    if (others.length === 0 || network === 'bridge') return []
    return [
      warn(
        'networks',
        `On ${shown(network)} it met ${named.join(', ')}${others.length > 5 ? ' and others' : ''}, which are not chosen: they do not find each other any more.`,
      ),
    ]
  })
  return [
    ...unit.carried.warnings.map(({ key, message }) => warn(key, message)),
    ...(service === unit.name
      ? []
      : [warn('name', `It is called ${service} here; ${shown(unit.name)} is still found on its networks.`)]),
    ...(unit.containers.some(({ state }) => ['running', 'restarting', 'paused'].includes(state.status))
      ? []
      : [warn('status', 'It does not run on the server now.')]),
    ...unit.names.map(({ host, by }) =>
      warn('names', `${host} is led to it by ${by}: add it to the project with POST /api/projects/:id/domains.`),
    ),
    ...lonely,
    ...shared,
  ]
}
