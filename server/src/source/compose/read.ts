import { posix } from 'node:path'
import type { ReadableTree } from '../build/source-tree.ts'
import { checkComplete } from './complete.ts'
import { checkConsistency } from './consistency.ts'
import { environmentOf, labelsOf } from './env-files.ts'
import { at, fault, type Warning } from './faults.ts'
import { findFiles } from './find-files.ts'
import { Budget } from './limits.ts'
import { loadModel } from './load.ts'
import { normalize } from './normalize.ts'
import { isRemote } from './paths.ts'
import type { ComposeProject, NormalService } from './project.ts'
import { type ComposeOptions, Origins, type Reading } from './reading.ts'
import { asJson, decode } from './shape/decode.ts'
import { composeFile } from './shape/file.ts'
import { Sources } from './sources.ts'
import { type Dict, dictOf, isDict, isList, mapDict } from './values.ts'

/** The compose files of a source tree in their normal form. Reads nothing but the tree. */
export async function readCompose(
  tree: ReadableTree,
  options: ComposeOptions,
): Promise<{ project: ComposeProject; environment: ReadonlyMap<string, string>; warnings: Warning[] }> {
  const warnings = new Map<string, Warning>()
  const budget = new Budget()
  const reading: Reading = {
    budget,
    sources: new Sources(tree, budget),
    origins: new Origins(),
    warn: (warning) => warnings.set(JSON.stringify(warning), warning),
  }
  const { scope, profiles } = await findFiles(reading, options)
  const model = await loadModel(reading, scope)
  checkComplete(model, reading.origins)
  const normal = decoded(reading, normalize(model, options.projectName))
  const { awake, asleep } = byProfile(normal, profiles)
  const services = await withFiles(reading, awake, scope.environment)
  const project = withoutUnused({ ...normal, services } as unknown as ComposeProject)
  checkConsistency(project.whole, reading.origins, asleep)
  for (const [name, service] of Object.entries(project.whole.services)) confineBuild(reading, service, name)
  return { project: project.used, environment: scope.environment, warnings: [...warnings.values()] }
}

function decoded({ origins, warn }: Reading, model: Dict): Dict {
  return mapDict(model, (section, name) => {
    const shape = Object.hasOwn(composeFile.fields, name) ? composeFile.fields[name] : undefined
    if (name === 'version' || name === 'include') return undefined
    if (!shape) return asJson(section)
    return decode(section, shape, origins.at(name), warn) ?? (isDict(section) ? {} : undefined)
  })
}

/** Services without a profile always take part. */
function byProfile(model: Dict, active: string[]): { awake: Dict; asleep: Set<string> } {
  const services = isDict(model.services) ? model.services : {}
  const asleep = new Set<string>()
  for (const [name, service] of Object.entries(services)) {
    const profiles = isDict(service) && isList(service.profiles) ? service.profiles.map(String) : []
    const chosen = profiles.length === 0 || active.includes('*') || profiles.some((one) => active.includes(one))
    if (!chosen) asleep.add(name)
  }
  return { awake: dictOf(Object.entries(services).filter(([name]) => !asleep.has(name))), asleep }
}

/** Variables and labels that stand in files are written out; a build's arguments without a value are looked up. */
async function withFiles(reading: Reading, services: Dict, known: ReadonlyMap<string, string>): Promise<Dict> {
  const done: [string, Dict][] = []
  for (const [name, value] of Object.entries(services)) {
    const service = value as Dict
    const environment = await environmentOf(reading, service, known, name)
    const labels = await labelsOf(reading, service, name)
    const { env_file: _, label_file: __, ...rest } = service
    done.push([
      name,
      {
        ...rest,
        command: rest.command ?? null,
        entrypoint: rest.entrypoint ?? null,
        ...(Object.keys(environment).length > 0 && { environment }),
        ...(Object.keys(labels).length > 0 && { labels }),
        ...(isDict(rest.build) && { build: withArguments(rest.build, known) }),
      },
    ])
  }
  return dictOf(done)
}

function withArguments(build: Dict, known: ReadonlyMap<string, string>): Dict {
  if (!isDict(build.args)) return build
  const args = mapDict(build.args, (value, name) => value ?? known.get(name))
  const { args: _, ...rest } = build
  return Object.keys(args).length > 0 ? { ...rest, args } : rest
}

/** Networks, volumes, configs and secrets that no service uses are not part of the project. */
function withoutUnused(whole: ComposeProject): { whole: ComposeProject; used: ComposeProject } {
  const services = Object.values(whole.services)
  const only = <T>(section: Record<string, T>, names: (string | undefined)[]) => {
    const used = new Set(names)
    return Object.fromEntries(Object.entries(section).filter(([name]) => used.has(name)))
  }
  const secrets = services.flatMap(({ secrets = [], build }) => [...secrets, ...(build?.secrets ?? [])])
  const used: ComposeProject = {
    ...whole,
    networks: only(
      whole.networks,
      services.flatMap(({ networks = {} }) => Object.keys(networks)),
    ),
    volumes: only(
      whole.volumes,
      services.flatMap(({ volumes = [] }) => volumes.map(({ source }) => source)),
    ),
    configs: only(
      whole.configs,
      services.flatMap(({ configs = [] }) => configs.map(({ source }) => source)),
    ),
    secrets: only(
      whole.secrets,
      secrets.map(({ source }) => source),
    ),
  }
  return { whole, used }
}

/** A Dockerfile may lie outside of its context, but not outside of the tree. */
function confineBuild({ sources, origins }: Reading, { build }: NormalService, name: string): void {
  if (build?.dockerfile === undefined) return
  const place = at(origins.at('services', name, 'build'), 'dockerfile')
  if (!isRemote(build.context)) sources.inside(build.context, build.dockerfile, place)
  else if (posix.normalize(build.dockerfile).startsWith('..') || build.dockerfile.startsWith('/')) {
    throw fault(place, 'it lies outside of the build context', 'Name a Dockerfile inside of the context.')
  }
}
