import type Docker from 'dockerode'
import type { FileAnswer, SwarmSpec } from '../engine/answers.ts'
import { callEngine, statusOf, unlessMissing, wordsOf } from '../engine/ask.ts'
import { runtimeFailure } from './failure.ts'
import { fileName, having, LABEL } from './labels.ts'
import type { FileReferences } from './render/container.ts'
import type { LaidFile, ServiceSpec } from './rollout/spec.ts'

// Swarm keeps files as configs and secrets, which never change: another content is another name. So a spec that is
// restored finds its own files, or makes them again.
const paths = { config: '/configs', secret: '/secrets' } as const
const kinds = ['config', 'secret'] as const

export type KeptFile = {
  kind: LaidFile['kind']
  id: string
  name: string
  project: string | undefined
  createdAt: string
}
type Owner = { instance: string; org: string; project: string }

/** Makes sure that the engine has the files of a spec, and says how the spec refers to them. Several may ask at once. */
export async function ensureFiles(
  docker: Docker,
  { files = [], org, project }: Pick<ServiceSpec, 'files' | 'org' | 'project'>,
  instance: string,
  signal: AbortSignal,
): Promise<FileReferences> {
  const Configs: NonNullable<FileReferences['Configs']> = []
  const Secrets: NonNullable<FileReferences['Secrets']> = []
  for (const file of files) {
    const name = fileName(instance, project, file)
    const id = await ensureFile(docker, { file, name, owner: { instance, org, project } }, signal)
    const File = { Name: file.target, UID: file.uid, GID: file.gid, Mode: file.mode }
    if (file.kind === 'config') Configs.push({ ConfigID: id, ConfigName: name, File })
    else Secrets.push({ SecretID: id, SecretName: name, File })
  }
  return { ...(Configs.length > 0 && { Configs }), ...(Secrets.length > 0 && { Secrets }) }
}

type Wanted = { file: LaidFile; name: string; owner: Owner }

async function ensureFile(docker: Docker, wanted: Wanted, signal: AbortSignal): Promise<string> {
  const { file, name, owner } = wanted
  const found = await findFile(docker, wanted, signal)
  if (found) return found
  const Labels = {
    [LABEL.instance]: owner.instance,
    [LABEL.org]: owner.org,
    [LABEL.project]: owner.project,
    [LABEL.file]: file.name,
  }
  const body = { Name: name, Labels, Data: file.content }
  try {
    const path = `${paths[file.kind]}/create`
    return (await callEngine<{ ID: string }>(docker, { method: 'POST', path, body }, signal)).ID
  } catch (error) {
    const other = isTaken(error) ? await findFile(docker, wanted, signal) : undefined
    if (other === undefined) throw refused(error, file)
    return other
  }
}

/** The engine's own words only: whatever else an error carries may hold the content. */
function refused(error: unknown, { kind, name }: LaidFile): unknown {
  if (statusOf(error) !== 400) return error
  return runtimeFailure('spec_refused', `The engine refuses the ${kind} ${name}: ${wordsOf(error)}.`)
}

async function findFile(docker: Docker, { file, name, owner }: Wanted, signal: AbortSignal) {
  const path = `${paths[file.kind]}/${encodeURIComponent(name)}`
  const found = await unlessMissing(callEngine<FileAnswer>(docker, { path }, signal))
  if (!found || found.Spec.Name !== name) return undefined
  const { [LABEL.instance]: instance, [LABEL.project]: project } = found.Spec.Labels ?? {}
  if (instance === owner.instance && project === owner.project) return found.ID
  throw runtimeFailure('name_taken', `The engine has a ${file.kind} ${name} that Slipway did not make.`)
}

function isTaken(error: unknown): boolean {
  return statusOf(error) === 409 || /already exists|name conflicts/i.test(wordsOf(error))
}

/** All files of projects: the mark of the engine's owner is a config too, and belongs to none. */
export async function projectFiles(
  docker: Docker,
  labels: Record<string, string>,
  signal: AbortSignal,
): Promise<KeptFile[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const query = { filters: { label: [...having(labels).label, LABEL.project] } }
      const found = await callEngine<FileAnswer[]>(docker, { path: paths[kind], query }, signal)
      return found.map(({ ID, CreatedAt, Spec }) => {
        return { kind, id: ID, name: Spec.Name, project: Spec.Labels?.[LABEL.project], createdAt: CreatedAt }
      })
    }),
  )
  return lists.flat()
}

/** One that a service refers to is a failure. */
export async function removeFile(docker: Docker, { kind, id, name }: KeptFile, signal: AbortSignal): Promise<void> {
  try {
    await unlessMissing(callEngine(docker, { method: 'DELETE', path: `${paths[kind]}/${id}` }, signal))
  } catch (error) {
    if (!/in use/i.test(wordsOf(error))) throw error
    throw runtimeFailure('in_use', `The ${kind} ${name} is in use.`, error)
  }
}

/** The files that a service refers to. */
export function fileIds(spec: SwarmSpec | undefined): string[] {
  const { Configs = [], Secrets = [] } = spec?.TaskTemplate.ContainerSpec ?? {}
  return [...(Configs ?? []).map(({ ConfigID }) => ConfigID), ...(Secrets ?? []).map(({ SecretID }) => SecretID)]
}

/** A file was taken away between the look and the write of the service that refers to it. */
export function isFileMissing(error: unknown): boolean {
  return /\b(?:config|secret)s? (?:\S+ )?not found|(?:config|secret)s? .*not found/i.test(wordsOf(error))
}
