import type Docker from 'dockerode'
import type { VolumeAnswer } from '../engine/answers.ts'
import { callEngine, unlessMissing, wordsOf } from '../engine/ask.ts'
import { type RuntimeFailure, runtimeFailure } from './failure.ts'
import type { Guard } from './guard.ts'
import { having, isCalledAfter, LABEL } from './labels.ts'

export type ProjectVolume = {
  name: string
  createdAt: string | null
  /** What the project calls it, where that was said when it was made. */
  key?: string
}

type Owner = { instance: string; org: string; project: string }

/** The volumes of a project on this engine's own machine; those that its services made, too. */
export async function listVolumes(
  docker: Docker,
  { instance, project }: Pick<Owner, 'instance' | 'project'>,
  signal: AbortSignal,
): Promise<ProjectVolume[]> {
  const query = { filters: having({ [LABEL.instance]: instance, [LABEL.project]: project }) }
  const { Volumes } = await callEngine<{ Volumes: VolumeAnswer[] | null }>(docker, { path: '/volumes', query }, signal)
  return (Volumes ?? [])
    .map(({ Name, CreatedAt = null, Labels }) => {
      const key = Labels?.[LABEL.volume]
      return { name: Name, createdAt: CreatedAt, ...(key !== undefined && { key }) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Makes a volume with our labels, or finds it. The engine changes nothing about one that is there. */
export async function ensureVolume(
  docker: Docker,
  { name, key, owner }: { name: string; key: string; owner: Owner },
  signal: AbortSignal,
): Promise<void> {
  const { instance, org, project } = owner
  const Labels = {
    [LABEL.instance]: instance,
    [LABEL.org]: org,
    [LABEL.project]: project,
    [LABEL.volume]: key,
  }
  const request = { method: 'POST', path: '/volumes/create', body: { Name: name, Labels } } as const
  const found = await callEngine<VolumeAnswer>(docker, request, signal)
  if (found.Labels?.[LABEL.instance] !== instance || found.Labels?.[LABEL.project] !== project) throw foreign(name)
}

/** Whether it was there. One that a container has, also one that has ended, is a failure. */
export async function removeVolume(
  docker: Docker,
  { instance, project, name, guard }: { instance: string; project: string; name: string; guard?: Guard | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const path = `/volumes/${encodeURIComponent(name)}`
  const found = await unlessMissing(callEngine<VolumeAnswer>(docker, { path }, signal))
  if (!found) return false
  if (found.Labels?.[LABEL.instance] !== instance || found.Labels?.[LABEL.project] !== project) throw foreign(name)
  await guard?.()
  signal.throwIfAborted()
  try {
    await unlessMissing(callEngine(docker, { method: 'DELETE', path }, signal))
    return true
  } catch (error) {
    if (!/in use/i.test(wordsOf(error))) throw error
    throw runtimeFailure('in_use', `The volume ${name} is in use.`, error)
  }
}

/**
 * Volumes of this instance that are more than a folder of the engine's own: the engine hands their options to mount(2) each
 * time a container needs them, and such a volume may be any folder of the server. Those in memory are as we make them.
 */
export async function listMountingVolumes(docker: Docker, instance: string, signal: AbortSignal): Promise<string[]> {
  const query = { filters: having({ [LABEL.instance]: instance }) }
  const { Volumes } = await callEngine<{ Volumes: VolumeAnswer[] | null }>(docker, { path: '/volumes', query }, signal)
  return (Volumes ?? []).filter((volume) => !isPlain(volume)).map(({ Name }) => Name)
}

/**
 * Refuses a volume that is there already and mounts something else, or is another's. One without labels is another's too
 * unless it has a name of this project: the edge's own, with the keys of all certificates, has none.
 */
export async function acceptExisting(
  docker: Docker,
  { instance, project, names }: { instance: string; project: string; names: string[] },
  signal: AbortSignal,
): Promise<void> {
  for (const name of new Set(names)) {
    const path = `/volumes/${encodeURIComponent(name)}`
    const found = await unlessMissing(callEngine<VolumeAnswer>(docker, { path }, signal))
    if (!found) continue
    const { [LABEL.instance]: by, [LABEL.project]: whose } = found.Labels ?? {}
    const isOwn =
      by === undefined && whose === undefined ? isCalledAfter(project, name) : by === instance && whose === project
    if (!isOwn) throw foreign(name)
    if (!isPlain(found)) throw mounting(name)
  }
}

/** What is used as it is must be there, and nobody's that the platform knows: the engine would make a missing one anew, and empty. */
export async function requireThere(docker: Docker, volumes: { name: string }[], signal: AbortSignal): Promise<void> {
  for (const name of new Set(volumes.map((volume) => volume.name))) {
    const path = `/volumes/${encodeURIComponent(name)}`
    const found = await unlessMissing(callEngine<VolumeAnswer>(docker, { path }, signal))
    if (!found) throw runtimeFailure('volume_gone', `The volume ${name} is no longer on the server.`)
    if (found.Labels?.[LABEL.instance] !== undefined) throw foreign(name)
  }
}

const MEMORY = /^size=\d+(,(mode=[0-7]+|uid=\d+|gid=\d+|nr_inodes=\d+|ro|noexec))*,nosuid,nodev$/

function isPlain({ Driver = 'local', Options }: VolumeAnswer): boolean {
  const { type, device, o, ...others } = Options ?? {}
  const none = type === undefined && device === undefined && o === undefined
  const inMemory = type === 'tmpfs' && device === 'tmpfs' && MEMORY.test(o ?? '')
  return Driver === 'local' && Object.keys(others).length === 0 && (none || inMemory)
}

function mounting(name: string): RuntimeFailure {
  const message = `The volume ${name} was made with mount options that could lead to any folder of the server.`
  return runtimeFailure('volume_unsafe', message)
}

function foreign(name: string): RuntimeFailure {
  return runtimeFailure('name_taken', `The engine has a volume ${name} that Slipway did not make.`)
}
