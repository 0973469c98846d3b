import type Docker from 'dockerode'
import { isFailure } from '../../errors.ts'
import type { ContainerAnswer, ImageAnswer, NetworkAnswer, ServiceAnswer } from '../engine/answers.ts'
import { callEngine } from '../engine/ask.ts'
import { dropNetwork } from './drop-network.ts'
import { type RuntimeFailure, runtimeFailure } from './failure.ts'
import { fileIds, type KeptFile, projectFiles, removeFile } from './files.ts'
import { findImage, removeImage } from './images/images.ts'
import { having, LABEL, type ServiceKey, serviceName } from './labels.ts'
import { HOLDS_FILES, PUT_MS } from './put-files.ts'
import { takeAway } from './rollout/take-away.ts'
import { servicesOf } from './running/observe.ts'

/** What must stay. */
export type GarbageRoots = {
  services: ServiceKey[]
  networks: string[]
  /** Of these all services and networks stay: what they need no more is taken away in their own turn. */
  projects?: string[]
  /** Names with a tag, digests or ids. */
  images: string[]
  /** Nothing younger goes: a deployment may have made it after the roots were read. */
  before: Date
}

export type GarbageReport = {
  services: string[]
  networks: string[]
  /** Configs and secrets. */
  files: string[]
  images: string[]
  /** Garbage that something still uses. */
  kept: string[]
}

/** What a build gave its images for names. Somebody may have given them others, and may have taken them elsewhere. */
const BUILT = 'slipway.invalid/'

type Sweep = { instance: string; roots: GarbageRoots; dryRun: boolean }

/** Services first: they hold networks and images. */
export async function collectGarbage(docker: Docker, sweep: Sweep, signal: AbortSignal): Promise<GarbageReport> {
  const report: GarbageReport = { services: [], networks: [], files: [], images: [], kept: [] }
  const drop = async (kind: Exclude<keyof GarbageReport, 'kept'>, name: string, work: () => Promise<unknown>) => {
    try {
      if (!sweep.dryRun) await work()
      report[kind].push(name)
    } catch (error) {
      if (!isFailure<RuntimeFailure>(error, 'runtime')) throw error
      report.kept.push(name)
    }
  }
  for (const service of await idleServices(docker, sweep, signal)) {
    await drop('services', service.Spec.Name, () => dropService(docker, service, signal))
  }
  for (const network of await idleNetworks(docker, sweep, signal)) {
    await drop('networks', network.Name, () => dropNetwork(docker, network, signal))
  }
  for (const file of await idleFiles(docker, sweep, signal)) {
    await drop('files', file.name, () => removeFile(docker, file, signal))
  }
  if (!sweep.dryRun) await removeStrays(docker, { instance: sweep.instance, before: sweep.roots.before }, signal)
  for (const name of await idleImages(docker, sweep, signal)) {
    await drop('images', name, () => removeImage(docker, name, signal))
  }
  return report
}

/** As it was in the list; whoever has changed it since needs it. */
async function dropService(docker: Docker, service: ServiceAnswer, signal: AbortSignal): Promise<void> {
  if ((await takeAway(docker, service, { signal })) === 'gone') return
  throw runtimeFailure('in_use', `The service ${service.Spec.Name} was changed meanwhile.`)
}

async function idleServices(docker: Docker, { instance, roots }: Sweep, signal: AbortSignal): Promise<ServiceAnswer[]> {
  const wanted = new Set(roots.services.map((key) => serviceName(instance, key)))
  const services = await servicesOf(docker, { [LABEL.instance]: instance }, signal)
  return services.filter(
    ({ Spec, CreatedAt }) => !wanted.has(Spec.Name) && !isKept(Spec.Labels, roots) && isOld(CreatedAt, roots),
  )
}

async function idleNetworks(docker: Docker, { instance, roots }: Sweep, signal: AbortSignal): Promise<NetworkAnswer[]> {
  const query = { filters: having({ [LABEL.instance]: instance }) }
  const networks = await callEngine<NetworkAnswer[]>(docker, { path: '/networks', query }, signal)
  const named = (name: string, labels: NetworkAnswer['Labels']) =>
    roots.networks.includes(name) || isKept(labels, roots)
  return networks.filter(({ Name, Labels, Created }) => !named(Name, Labels) && isOld(Created, roots))
}

/** Also of projects that stay: each deployment may have brought other files. */
async function idleFiles(docker: Docker, sweep: Sweep, signal: AbortSignal): Promise<KeptFile[]> {
  const labels = { [LABEL.instance]: sweep.instance }
  // Files first: a service that is made after them can only refer to more.
  const files = (await projectFiles(docker, labels, signal)).filter(({ createdAt }) => isOld(createdAt, sweep.roots))
  if (files.length === 0) return []
  // The engine may still go back to what a service was before.
  const used = (await servicesOf(docker, labels, signal)).flatMap(({ Spec, PreviousSpec }) => [
    ...fileIds(Spec),
    ...fileIds(PreviousSpec),
  ])
  const needed = new Set(used)
  return files.filter(({ id }) => !needed.has(id))
}

function isKept(labels: Record<string, string> | undefined, { projects = [] }: GarbageRoots): boolean {
  const project = labels?.[LABEL.project]
  return project !== undefined && projects.includes(project)
}

/** Containers of a moment whose owner was killed in it. By the engine's clock, which may not be ours. */
export async function removeStrays(
  docker: Docker,
  { instance, before }: { instance: string; before: Date },
  signal: AbortSignal,
): Promise<number> {
  const filters = { label: [`${LABEL.instance}=${instance}`, LABEL.look], status: ['created', 'exited', 'dead'] }
  const path = '/containers/json'
  const left = await callEngine<ContainerAnswer[]>(docker, { path, query: { all: true, filters } }, signal)
  const lived = ({ Labels }: ContainerAnswer) => (Labels[LABEL.look] === HOLDS_FILES ? PUT_MS : 0)
  const old = left.filter((one) => one.Created * 1000 + lived(one) < before.getTime())
  for (const { Id } of old) {
    await callEngine(docker, { method: 'DELETE', path: `/containers/${Id}`, query: { v: true } }, signal).catch(
      () => {},
    )
  }
  return old.length
}

/** Names, not ids: an image may have a name that is none of ours, and then it stays under that. */
async function idleImages(docker: Docker, { instance, roots }: Sweep, signal: AbortSignal): Promise<string[]> {
  const query = { filters: having({ [LABEL.instance]: instance }) }
  const images = await callEngine<ImageAnswer[]>(docker, { path: '/images/json', query }, signal)
  const wanted = new Set(roots.images)
  const idle: string[] = []
  for (const { Id, RepoTags, RepoDigests } of images) {
    const tags = (RepoTags ?? []).filter((tag) => tag !== '<none>:<none>')
    if ([Id, ...(RepoDigests ?? [])].some((name) => wanted.has(name))) continue
    const found = await findImage(docker, Id, signal)
    // A build out of the cache keeps the old date of creation; the day it got its name is what counts.
    const made = [found?.Created, found?.Metadata?.LastTagTime].every((time) => isOld(time, roots))
    if (made) idle.push(...(tags.length > 0 ? tags.filter((tag) => tag.startsWith(BUILT) && !wanted.has(tag)) : [Id]))
  }
  return idle
}

function isOld(time: string | undefined, { before }: GarbageRoots): boolean {
  const made = Date.parse(time ?? '')
  return Number.isNaN(made) || made < before.getTime()
}
