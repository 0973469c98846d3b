import type { DifferenceKind } from '@slipway/contract/migration-shape'
import type { FoundContainer, FoundImage } from '../../drivers/runtime/reading/found.ts'
import type { ComposeProject, NormalMount, NormalService } from '../../source/compose/project.ts'
import { withTag } from './carry-over/image.ts'
import { nameOf, same } from './carry-over/process.ts'
import { shown } from './carry-over/verdict.ts'

/** What runs against what the file says. Names only: no value of a variable is in a difference. */
export type Difference = { service: string; kind: DifferenceKind; detail: string }

export type Running = {
  service: string
  containers: FoundContainer[]
  image: FoundImage | null
  /** The id that the name it was started from means now; null where it means none. */
  tagged: string | null
}

/** Where the file uses a variable that only the shell knew which started it. */
export type Unknown = { service: string | null; key: string }

/** Pure. `project`: the file in its normal form, with paths seen from the root of the machine. */
export function reconcile(project: ComposeProject, running: Running[], unknown: Unknown[]): Difference[] {
  const names = new Set(running.map(({ service }) => service))
  const absent = Object.entries(project.services)
    // Of a profile that nobody asked for, none has to run.
    .filter(([name, said]) => !names.has(name) && replicasOf(said) > 0 && (said.profiles ?? []).length === 0)
    .map(([service]) => ({
      service,
      kind: 'not_running' as const,
      detail: 'The file has it, and nothing of it is there.',
    }))
  return [...absent, ...running.flatMap((one) => ofService(project, one, unknown))]
}

function ofService(project: ComposeProject, one: Running, unknown: Unknown[]): Difference[] {
  const { service, containers, image } = one
  const said = Object.hasOwn(project.services, service) ? project.services[service] : undefined
  const [first] = containers
  if (said === undefined || first === undefined)
    return [{ service, kind: 'not_in_file', detail: 'It is there, and the file does not have it.' }]
  const keys = unknown.filter((where) => where.service === service || where.service === null).map(({ key }) => key)
  const compared = { said, first, image, project }
  const differences = [
    imageDifference(compared, one.tagged),
    commandDifference(compared),
    portDifference(compared),
    mountDifference(compared),
    networkDifference(compared),
    restartDifference(compared),
    limitDifference(compared),
    replicaDifference(said, containers),
    plainDifference('user', said.user, first.run.user),
    plainDifference('hostname', said.hostname, first.run.hostname),
    differsWithin(containers),
  ].flatMap((found) => found ?? [])
  return [
    ...differences.map(({ kind, detail }) =>
      isUnclear(kind, keys)
        ? { service, kind: 'unclear' as const, detail: `${kind}: the file takes it from a variable that is not known.` }
        : { service, kind, detail },
    ),
    ...environmentDifferences(compared, keys).map((found) => ({ service, ...found })),
  ]
}

type Compared = { said: NormalService; first: FoundContainer; image: FoundImage | null; project: ComposeProject }
type Found = { kind: DifferenceKind; detail: string } | null

/** Under which key of the file a kind of difference stands. */
const KEYS: Partial<Record<DifferenceKind, string[]>> = {
  mounts: ['volumes'],
  limits: ['deploy', 'mem_limit', 'cpus'],
  command: ['command', 'entrypoint'],
  image_moved: ['image'],
}
const isUnclear = (kind: DifferenceKind, keys: string[]) =>
  keys.some((key) => (KEYS[kind] ?? [kind]).includes(key.split('.')[0] ?? ''))

function imageDifference({ said, first }: Compared, tagged: string | null): Found {
  const started = first.run.image
  if (said.image !== undefined && familiar(said.image) !== familiar(started))
    return { kind: 'image', detail: `The file says ${shown(said.image)}, and ${shown(started)} was started.` }
  if (tagged === null || tagged === first.imageId) return null
  return { kind: 'image_moved', detail: `${shown(started)} means another image now than when it was started.` }
}

const familiar = (name: string) => withTag(name.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, ''))

function commandDifference({ said, first, image }: Compared): Found {
  const base = image?.config
  const entrypoint = said.entrypoint ?? base?.entrypoint ?? []
  const command = said.command ?? (said.entrypoint === null ? (base?.command ?? []) : [])
  const runs = [...(first.run.entrypoint ?? []), ...(first.run.command ?? [])]
  return same(runs, [...entrypoint, ...command])
    ? null
    : { kind: 'command', detail: 'It was started with other words.' }
}

function environmentDifferences({ said, first, image }: Compared, keys: string[]): NonNullable<Found>[] {
  const runs = pairs(first.run.environment)
  const wanted = new Map<string, string | null>([
    ...pairs(image?.config.environment ?? []),
    ...Object.entries(said.environment ?? {}),
  ])
  const names: string[] = []
  // Without a value in the file it came from the shell of whoever started it.
  for (const [name, value] of wanted)
    if (value !== null && runs.get(name) !== value) names.push(runs.has(name) ? name : `+${name}`)
  for (const name of runs.keys()) if (!wanted.has(name)) names.push(`-${name}`)
  const isKnown = (name: string) => !keys.includes(`environment.${name.replace(/^[+-]/, '')}`)
  const listed = (some: string[]) => shown(some.sort().join(', '))
  const [clear, unclear] = [names.filter(isKnown), names.filter((name) => !isKnown(name))]
  return [
    ...(clear.length > 0 ? [{ kind: 'environment' as const, detail: listed(clear) }] : []),
    ...(unclear.length > 0 ? [{ kind: 'unclear' as const, detail: `environment: ${listed(unclear)}` }] : []),
  ]
}

const pairs = (lines: string[]) => new Map(lines.map((line) => [nameOf(line), line.slice(line.indexOf('=') + 1)]))

function portDifference({ said, first }: Compared): Found {
  const wanted = (said.ports ?? [])
    .filter(({ published }) => published)
    .map(({ target, published, protocol, host_ip: address = '' }) => `${address}:${published}:${target}/${protocol}`)
  const open = first.host.ports
    .filter(({ published }) => Number(published) > 0)
    .map(({ target, protocol, address, published }) => `${address}:${published}:${target}/${protocol}`)
  return differing('ports', wanted, open, 'open are')
}

function mountDifference({ said, first, image, project }: Compared): Found {
  const wanted = (said.volumes ?? [])
    .filter(({ type }) => type !== 'tmpfs')
    .map((mount) => `${sourceOf(mount, project)}→${mount.target}`)
  const declared = new Set(image?.config.volumes ?? [])
  const there = first.mounts.flatMap(({ kind, name, source, target }) => {
    const isSaid = wanted.some((one) => one.endsWith(`→${target}`))
    // Volumes that the image declares are there without anybody having said so.
    if (kind === 'tmpfs' || (kind === 'volume' && declared.has(target) && !isSaid)) return []
    return [`${kind === 'volume' ? (/^[0-9a-f]{64}$/.test(name) ? '' : name) : source}→${target}`]
  })
  if (wanted.some((one) => one.startsWith('~')))
    return same(wanted.toSorted(), there.toSorted())
      ? null
      : { kind: 'unclear', detail: 'mounts: whose home folder is meant is not known.' }
  return differing('mounts', wanted, there, 'mounted are')
}

function sourceOf({ type, source = '' }: NormalMount, { volumes }: ComposeProject): string {
  if (type === 'volume') return source === '' ? '' : (volumes[source]?.name ?? source)
  if (source.startsWith('/') || source.startsWith('~')) return source
  return source === '.' ? '/' : `/${source}`
}

function networkDifference({ said, first, project }: Compared): Found {
  if (said.network_mode !== undefined) return null
  const keys = Object.keys(said.networks ?? { default: null })
  const wanted = keys.map((key) => project.networks[key]?.name ?? `${project.name}_${key}`)
  return differing(
    'networks',
    wanted,
    first.networks.map(({ name }) => name),
    'joined are',
  )
}

function differing(kind: DifferenceKind, wanted: string[], there: string[], are: string): Found {
  const [a, b] = [wanted.toSorted(), there.toSorted()]
  if (same(a, b)) return null
  return { kind, detail: `The file says ${shown(a.join(' ')) || 'none'}, ${are} ${shown(b.join(' ')) || 'none'}.` }
}

function restartDifference({ said, first }: Compared): Found {
  if (said.deploy?.restart_policy !== undefined) return null
  const { name, maxRetries } = first.host.restart
  const has = name === 'on-failure' && maxRetries > 0 ? `on-failure:${maxRetries}` : name
  const wanted = said.restart ?? 'no'
  return wanted === has ? null : { kind: 'restart', detail: `The file says ${shown(wanted)}, it has ${shown(has)}.` }
}

function limitDifference({ said, first }: Compared): Found {
  const { memory: most, cpus: share } = said.deploy?.resources.limits ?? {}
  const memory = Number(most ?? said.mem_limit ?? 0)
  const cpus = Number(share ?? said.cpus ?? 0)
  const { host } = first
  if (memory === host.memory && Math.abs(cpus * 1e9 - host.nanoCpus) <= 1) return null
  return {
    kind: 'limits',
    detail: `It has ${host.memory} bytes of memory and ${host.nanoCpus / 1e9} processors; 0 is no limit.`,
  }
}

const replicasOf = ({ deploy, scale }: NormalService) => deploy?.replicas ?? scale ?? 1

function replicaDifference(said: NormalService, containers: FoundContainer[]): Found {
  const wanted = replicasOf(said)
  return wanted === containers.length
    ? null
    : { kind: 'replicas', detail: `The file says ${wanted}, there are ${containers.length}.` }
}

const plainDifference = (kind: DifferenceKind, wanted: string | undefined, has: string): Found =>
  wanted === undefined || wanted === has
    ? null
    : { kind, detail: `The file says ${shown(wanted)}, it has ${shown(has) || 'none'}.` }

function differsWithin(containers: FoundContainer[]): Found {
  const shape = ({ imageId, run, host }: FoundContainer) =>
    JSON.stringify([imageId, run.command, run.entrypoint, run.environment.toSorted(), host.memory])
  const [first] = containers
  return first === undefined || containers.every((one) => shape(one) === shape(first))
    ? null
    : { kind: 'replicas_differ', detail: 'Its containers are not alike; the first counts.' }
}
