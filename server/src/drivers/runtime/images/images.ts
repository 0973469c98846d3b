import type Docker from 'dockerode'
import type { HealthConfig, ImageAnswer } from '../../engine/answers.ts'
import { callEngine, statusOf, unlessMissing, wordsOf } from '../../engine/ask.ts'
import { runtimeFailure } from '../failure.ts'
import { imagePrograms } from '../render/image-programs.ts'
import { pinnedName } from './pull.ts'

export type ImageFacts = {
  id: string
  digests: string[]
  /** The name that means exactly this image for ever; null for one that no registry has given. */
  pinned: string | null
  sizeBytes: number
  platform: string
  /** Ports it says it listens on. */
  ports: { port: number; protocol: string }[]
  healthcheck: string[] | null
  /** Empty means root. */
  user: string
  volumes: string[]
  labels: Record<string, string>
  /** The best check that can run inside it. */
  checks: 'http' | 'tcp' | 'none'
}

/** Null where the engine does not have it. */
export async function inspectImage(
  docker: Docker,
  { image, instance }: { image: string; instance: string },
  signal: AbortSignal,
): Promise<ImageFacts | null> {
  const found = await findImage(docker, image, signal)
  if (!found) return null
  const { Config = {} } = found
  const { shell, wget, node } = await imagePrograms(docker, { image: found.Id, instance }, signal)
  return {
    id: found.Id,
    digests: found.RepoDigests ?? [],
    pinned: pinnedName(image, found.RepoDigests ?? []),
    sizeBytes: found.Size,
    platform: `${found.Os ?? 'linux'}/${found.Architecture ?? ''}`,
    ports: Object.keys(Config.ExposedPorts ?? {}).map((entry) => {
      const [port, protocol = 'tcp'] = entry.split('/')
      return { port: Number(port), protocol }
    }),
    healthcheck: ownCheck(Config.Healthcheck),
    user: Config.User ?? '',
    volumes: Object.keys(Config.Volumes ?? {}),
    labels: Config.Labels ?? {},
    checks: shell?.endsWith('bash') || (shell && wget) || node ? 'http' : shell ? 'tcp' : 'none',
  }
}

export async function findImage(docker: Docker, image: string, signal: AbortSignal): Promise<ImageAnswer | undefined> {
  // The engine would take these for parts of its own address and send us elsewhere.
  if (image.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined
  return unlessMissing(callEngine(docker, { path: `/images/${encodeURIComponent(image)}/json` }, signal))
}

/** Takes the name away, and the layers with it when it was the last. Never by force: what a container uses stays. */
export async function removeImage(docker: Docker, image: string, signal: AbortSignal): Promise<boolean> {
  try {
    const path = `/images/${encodeURIComponent(image)}`
    return (await unlessMissing(callEngine(docker, { method: 'DELETE', path }, signal))) !== undefined
  } catch (error) {
    if (statusOf(error) !== 409) throw error
    throw runtimeFailure('in_use', `The image ${image} is in use: ${wordsOf(error)}.`, error)
  }
}

export async function keepImage(
  docker: Docker,
  image: string,
  { repository, tag }: { repository: string; tag: string },
  signal: AbortSignal,
): Promise<void> {
  const path = `/images/${encodeURIComponent(image)}/tag`
  await callEngine(docker, { method: 'POST', path, query: { repo: repository, tag } }, signal)
}

function ownCheck(config: HealthConfig | undefined): string[] | null {
  const test = config?.Test ?? []
  return test.length === 0 || test[0] === 'NONE' ? null : test
}
