import { createHash } from 'node:crypto'
import { ServiceName } from '@slipway/contract/services'
import type { LaidFile } from '../../../drivers/runtime/rollout/spec.ts'
import { Refusal } from '../../../errors.ts'
import type { SourceTree } from '../../../source/build/source-tree.ts'
import type { ComposeFile, ComposeService, Deployable, FileMount } from '../../../source/compose/deployable/service.ts'
import { servicesOf } from '../../../source/compose/deployable/services-of.ts'
import { fault } from '../../../source/compose/faults.ts'
import { readCompose } from '../../../source/compose/read.ts'
import type { Blueprint, ComposePlan, ServicePlan } from '../rows/blueprint.ts'
import type { Setting } from '../rows/overrides.ts'
import { contentOf, type Values } from './compose-content.ts'

type Given = {
  environment: Record<string, string>
  projectName: string
  settings: Setting[]
  /** Whether ports of the server may be opened, and those that are the edge's in any case. */
  hostPorts: boolean
  edgePorts: number[]
}

/** The services of a compose file. What the project says about one of them goes before what the file says. */
export async function ofCompose(tree: SourceTree, given: Given): Promise<Blueprint> {
  const { environment, projectName, settings } = given
  const read = await readCompose(tree, { environment, projectName })
  const { warnings, ...deployable } = servicesOf(read.project)
  for (const { name, build } of deployable.services) {
    checkName(name)
    if (build && Object.keys(build.contexts).length > 0) throw noContexts(name)
  }
  const values: Values = { tree, variables: read.environment }
  const taken: Blueprint['warnings'] = []
  const services: ServicePlan[] = []
  for (const service of deployable.services) {
    const isFree = ({ published }: { published: number }) => given.hostPorts && !given.edgePorts.includes(published)
    const ports = service.ports.filter(isFree)
    for (const { published } of service.ports.filter((port) => !isFree(port)))
      taken.push({ service: service.name, message: given.hostPorts ? EDGE_PORT(published) : NO_PORT(published) })
    const config = settings.find(({ name }) => name === service.name)?.config ?? {}
    const { name, after, configs: _, secrets: __, ...compose } = { ...service, ports }
    services.push({ name, config, after, compose: { ...compose, ...(await contents(service, deployable, values)) } })
  }
  return {
    services,
    networks: deployable.networks,
    main: mainOf(deployable.services, settings),
    warnings: [
      ...[...read.warnings, ...warnings].map(({ service, key, message }) => ({
        service,
        message: `${key}: ${message}`,
      })),
      ...taken,
      ...deployable.services.flatMap(leftOut),
    ],
  }
}

const EDGE_PORT = (port: number) =>
  `ports: Port ${port} of the server belongs to the edge, which leads the names of the project here.`

const NO_PORT = (port: number) =>
  `ports: Port ${port} of the server is not opened: its settings allow no project to open ports.`

/** What a deployment has no way for. */
function leftOut({ name: service, mounts, ports }: ComposeService): Blueprint['warnings'] {
  const clocks = mounts.flatMap((mount) => (mount.kind === 'host' ? [mount.source] : []))
  const sctp = ports.filter(({ protocol }) => protocol === 'sctp')
  return [
    ...clocks.map((path) => ({ service, message: `volumes: ${path} of the server is not mounted; set TZ instead.` })),
    ...sctp.map(({ published }) => ({ service, message: `ports: Port ${published} is not opened for SCTP.` })),
  ]
}

function checkName(name: string): void {
  if (ServiceName.safeParse(name).success) return
  throw fault(
    { file: '', path: ['services', name] },
    'a service cannot be called so',
    'Use lower case letters, digits, - and _, at most 63.',
  )
}

const noContexts = (name: string) =>
  fault(
    { file: '', path: ['services', name, 'build', 'additional_contexts'] },
    'further contexts cannot be had',
    'Copy what is needed into the context, or build in stages.',
  )

async function contents(
  service: ComposeService,
  { configs, secrets, volumes }: Deployable,
  values: Values,
): Promise<Pick<ComposePlan, 'files' | 'buildSecrets' | 'memoryVolumes' | 'mountedHash'>> {
  const files: LaidFile[] = []
  for (const [kind, mounts, all] of [
    ['config', service.configs, configs],
    ['secret', service.secrets, secrets],
  ] as const) {
    for (const mount of mounts) files.push(await laid(kind, mount, all, values))
  }
  const buildSecrets: Record<string, string> = {}
  for (const { id, secret } of service.build?.secrets ?? [])
    buildSecrets[id] = (await contentOf(fileOf(secret, secrets), values)).toString('utf8')
  const used = new Set(service.mounts.flatMap((mount) => (mount.kind === 'volume' ? [mount.volume] : [])))
  const memoryVolumes = Object.fromEntries(
    volumes.flatMap(({ key, memory }) => (memory !== null && used.has(key) ? [[key, memory]] : [])),
  )
  return { files, buildSecrets, memoryVolumes, mountedHash: mountedHash(service, values.tree) }
}

async function laid(
  kind: LaidFile['kind'],
  { source, target, uid, gid, mode }: FileMount,
  all: ComposeFile[],
  values: Values,
): Promise<LaidFile> {
  const content = (await contentOf(fileOf(source, all), values)).toString('base64')
  return { kind, name: source, content, target, uid, gid, mode }
}

function fileOf(key: string, all: ComposeFile[]): ComposeFile {
  const found = all.find((one) => one.key === key)
  if (found) return found
  throw new Refusal('invalid_compose', `There is no ${key} among the configs and secrets.`, { hint: 'Define it.' })
}

/** Of the files that are mounted from the source: who changes one of them changes the services that see it. */
function mountedHash({ mounts }: ComposeService, { entries }: SourceTree): string | null {
  const sources = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.source] : []))
  if (sources.length === 0) return null
  const isIn = (path: string) => sources.some((one) => one === '.' || path === one || path.startsWith(`${one}/`))
  const hash = createHash('sha256')
  for (const entry of entries.filter(({ path }) => isIn(path)).toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(
      JSON.stringify(entry.kind === 'file' ? [entry.path, entry.mode, entry.sha256] : [entry.path, entry.target]),
    )
  return hash.digest('hex').slice(0, 32)
}

/** What people mean by "the site": the one the project exposes, one that is called so, or the first that opens a port. */
export function mainOf(
  services: Pick<ComposeService, 'name' | 'kind' | 'ports' | 'exposed' | 'build'>[],
  settings: Setting[],
): string | null {
  const exposed = settings.find(({ config }) => config.exposed === true)
  if (exposed) return exposed.name
  const listening = services.filter(
    ({ kind, ports, exposed }) => kind === 'service' && (ports.length > 0 || exposed.length > 0),
  )
  const named = USUAL.flatMap((name) => listening.filter((one) => one.name === name))
  const [main] = [...named, ...listening.filter(({ build }) => build !== null), ...listening]
  return main?.name ?? null
}

const USUAL = ['web', 'app', 'frontend', 'site', 'www', 'proxy', 'nginx', 'caddy', 'gateway', 'api', 'server']
