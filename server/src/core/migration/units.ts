import type {
  FoundContainer,
  FoundImage,
  FoundNetwork,
  FoundService,
  FoundVolume,
} from '../../drivers/runtime/reading/found.ts'
import { asContainer } from './as-container.ts'
import { type Carried, carryOver } from './carry-over/carry-over.ts'
import { shown } from './carry-over/verdict.ts'
import { type ComposeOrigin, originOf } from './origin.ts'
import { platformOf } from './platform-of.ts'
import { type ProxyName, proxyNames } from './proxy-names.ts'

/** What could become one service: the containers of a compose service, a Swarm service, a container by itself. */
export type Unit = {
  /** Survives that the container is made anew. */
  key: string
  name: string
  /** Null for a container of no stack. */
  stack: string | null
  maker: 'compose v1' | 'compose v2' | 'swarm' | null
  origin: ComposeOrigin | null
  /** All that are alike, the first of them first; of a Swarm service, one as they would be. */
  containers: FoundContainer[]
  image: FoundImage | null
  replicas: number
  platform: string | null
  names: ProxyName[]
  carried: Carried
}

/** All that an engine says, as far as services can be made of it. */
export type Standing = {
  containers: FoundContainer[]
  services: FoundService[]
  images: ReadonlyMap<string, FoundImage | null>
  volumes: FoundVolume[]
  networks: FoundNetwork[]
  rootDir: string
  nodes: number | null
  socketPath: string
  edgePorts: readonly number[]
}

const keyOf = (...parts: string[]) => parts.map((part) => encodeURIComponent(shown(part.slice(0, 255)))).join('/')

/** In the order of their keys. Pure. */
export function unitsOf(standing: Standing): Unit[] {
  const marked = standing.containers.map((container) => ({ container, origin: originOf(container.run.labels) }))
  const composed = Map.groupBy(
    marked.flatMap(({ container, origin }) =>
      origin.kind === 'compose' && !origin.compose.oneOff ? [{ container, origin: origin.compose }] : [],
    ),
    ({ origin }) => keyOf('compose', origin.project, origin.service),
  )
  const loose = marked.filter(
    ({ origin }) => origin.kind === 'loose' || (origin.kind === 'compose' && origin.compose.oneOff),
  )
  return [
    ...[...composed].map(([key, members]) => composeUnit(standing, key, members)),
    ...loose.map(({ container, origin }) => looseUnit(standing, container, origin.kind === 'compose')),
    ...standing.services.map((service) => swarmUnit(standing, service)),
  ].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

type Member = { container: FoundContainer; origin: ComposeOrigin }

function composeUnit(standing: Standing, key: string, members: Member[]): Unit {
  const sorted = members.toSorted((a, b) => a.origin.number - b.origin.number)
  const { origin } = sorted[0] as Member
  const containers = sorted.map(({ container }) => container)
  const unit = { key, name: origin.service, stack: origin.project, maker: origin.maker, origin, containers }
  return judged(standing, { ...unit, replicas: containers.length }, origin.workingDir)
}

function looseUnit(standing: Standing, container: FoundContainer, isLeftover: boolean): Unit {
  const { name } = container
  const bare = { key: keyOf('container', name), name, stack: null, maker: null, origin: null, containers: [container] }
  const unit = judged(standing, { ...bare, replicas: 1 }, null)
  if (isLeftover)
    unit.carried.reasons.unshift({ key: 'oneoff', message: 'It is what a single “compose run” has left.' })
  return unit
}

function swarmUnit(standing: Standing, service: FoundService): Unit {
  const image = standing.images.get(service.run.image) ?? null
  const networks = new Map(standing.networks.map((network) => [network.id, network]))
  const container = asContainer(service, image, networks)
  const labels = { ...container.run.labels, ...service.labels }
  const unit = judged(
    standing,
    {
      key: keyOf('swarm', service.name),
      name: service.name,
      stack: service.labels['com.docker.stack.namespace'] ?? service.name,
      maker: 'swarm',
      origin: null,
      containers: [{ ...container, run: { ...container.run, labels } }],
      replicas: service.replicas,
    },
    null,
  )
  const { reasons, warnings } = unit.carried
  for (const secret of service.secrets)
    reasons.push({
      key: 'secrets',
      message: `The engine gives the secret ${shown(secret)} to nobody: it would have to be set again.`,
    })
  for (const config of service.configs)
    reasons.push({
      key: 'configs',
      message: `Its config ${shown(config)} belongs to the Swarm and is not carried over.`,
    })
  if (service.mode === 'global') reasons.push({ key: 'mode', message: 'It runs once on every machine of its Swarm.' })
  if (service.mode === 'job') reasons.push({ key: 'mode', message: 'It is a job, which has ended or will end.' })
  if ((standing.nodes ?? 1) > 1 && unit.carried.inPlace.length > 0)
    reasons.push({
      key: 'volumes',
      message: 'Its Swarm has several machines, and on which of them its volumes are is not known.',
    })
  if (service.replicas === 0)
    warnings.push({ key: 'replicas', message: 'It is scaled to nothing, and would be here too.' })
  return unit
}

type Bare = Omit<Unit, 'image' | 'platform' | 'names' | 'carried'>

function judged(standing: Standing, bare: Bare, workingDir: string | null): Unit {
  const [first] = bare.containers as [FoundContainer]
  const { labels, environment } = first.run
  const image = standing.images.get(first.imageId) ?? null
  const volumes = new Map(standing.volumes.map((volume) => [volume.name, volume]))
  const { rootDir, socketPath, edgePorts } = standing
  const carried = carryOver(first, { image, volumes, rootDir, socketPath, edgePorts, replicas: bare.replicas })
  const service = bare.maker === 'swarm' ? { service: bare.name } : {}
  // An image may have been made by a platform, and its container by hand.
  const own = Object.fromEntries(Object.entries(labels).filter(([name, value]) => image?.config.labels[name] !== value))
  const platform = platformOf({ labels: own, name: first.name, image: first.run.image, workingDir, ...service })
  if (platform !== null)
    carried.reasons.unshift({
      key: 'platform',
      message: `It belongs to ${platform}: what two platforms manage, neither does.`,
    })
  const pairs = new Map(environment.map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]))
  return { ...bare, image, platform, carried, names: proxyNames({ labels, environment: pairs }) }
}
