import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { callEngine, statusOf, wordsOf } from '../engine/ask.ts'
import { engineFailure } from '../engine/engine.ts'
import { runtimeFailure } from './failure.ts'
import { FILES_VOLUME, LABEL, projectVolume } from './labels.ts'
import { isInside } from './render/accept-volume.ts'
import { ensureVolume } from './volumes.ts'

/** A file or a folder, by its path below the volume. Folders that a file needs are made without being named. */
export type VolumeFile = { path: string; mode: number; body: Buffer } | { path: string; folder: true }

export type PutFiles = {
  org: string
  project: string
  /** Any image that the engine has: nothing of it is run. */
  image: string
  /** Read once, and no faster than the engine takes it. */
  files: AsyncIterable<VolumeFile>
}

const TARGET = '/slipway-files'
/** Marks the container that holds the volume: it lives for as long as writing may take, a whole tree over a slow line. */
export const HOLDS_FILES = 'files'
export const PUT_MS = 900_000

/**
 * Writes files into the project's volume and says which that is. What is there under the same path is replaced, everything
 * else stays. A container that never starts holds the volume meanwhile; the engine unpacks with that container's root as
 * its own, so a link that was planted in the volume leads nowhere else.
 */
export async function putFiles(
  docker: Docker,
  { instance, org, project, image, files }: PutFiles & { instance: string },
  signal: AbortSignal,
): Promise<{ volume: string }> {
  const volume = projectVolume(project, FILES_VOLUME)
  await ensureVolume(docker, { name: volume, key: FILES_VOLUME, owner: { instance, org, project } }, signal)
  const id = await holder(docker, { image, volume, instance }, signal)
  try {
    await unpack(docker, { id, files }, signal)
    return { volume }
  } finally {
    // Not its volumes: this one has a name and would stay, but it is not ours to try.
    const remove = { method: 'DELETE', path: `/containers/${id}`, query: { force: true } } as const
    await callEngine(docker, remove, AbortSignal.timeout(5000)).catch(() => {})
  }
}

type Holder = { image: string; volume: string; instance: string }

async function holder(docker: Docker, { image, volume, instance }: Holder, signal: AbortSignal): Promise<string> {
  // Nothing of the image is copied into a volume that is new.
  const mount = { Type: 'volume', Source: volume, Target: TARGET, VolumeOptions: { NoCopy: true } }
  const body = {
    Image: image,
    Entrypoint: ['/none'],
    NetworkDisabled: true,
    Labels: { [LABEL.instance]: instance, [LABEL.look]: HOLDS_FILES },
    HostConfig: { Mounts: [mount] },
  }
  try {
    return (await callEngine<{ Id: string }>(docker, { method: 'POST', path: '/containers/create', body }, signal)).Id
  } catch (error) {
    if (statusOf(error) !== 404) throw error
    throw runtimeFailure('image_missing', `The engine has no image ${image}.`, error)
  }
}

async function unpack(
  docker: Docker,
  { id, files }: { id: string; files: AsyncIterable<VolumeFile> },
  signal: AbortSignal,
): Promise<void> {
  const { pack } = await import('tar-stream')
  const tar = pack()
  const stop = new AbortController()
  const within = AbortSignal.any([signal, stop.signal])
  // A source that cannot be read ends the request, and is what the caller hears of.
  let unread: unknown
  fill(tar, files).catch((error) => {
    unread = error
    stop.abort(error)
  })
  try {
    await docker.getContainer(id).putArchive(Readable.from(tar), { path: TARGET, abortSignal: within })
  } catch (error) {
    signal.throwIfAborted()
    throw unread ?? explained(error)
  } finally {
    tar.destroy()
  }
}

async function fill(tar: Pack, files: AsyncIterable<VolumeFile>): Promise<void> {
  for await (const file of files) {
    if (!isInside(file.path)) {
      throw runtimeFailure('spec_refused', `“${file.path}” is not a path inside of a volume.`)
    }
    await write(tar, file)
  }
  tar.finalize()
}

/** Done when the archive has been read as far as this: only one file is held at a time. */
function write(tar: Pack, file: VolumeFile): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    if ('folder' in file) tar.entry({ name: file.path, type: 'directory', mode: 0o755 }, done)
    else tar.entry({ name: file.path, mode: file.mode, size: file.body.length }, done).end(file.body)
  })
}

function explained(error: unknown): unknown {
  if (/no space left on device|disk quota exceeded/i.test(wordsOf(error))) {
    return runtimeFailure('disk_full', 'The disk of the server is full.', error)
  }
  if (/could not find the file|not a directory/i.test(wordsOf(error))) {
    const message = 'The files could not be written: a link or a file of the volume is where a folder belongs.'
    return runtimeFailure('spec_refused', message, error)
  }
  if (statusOf(error) !== undefined) return error
  // A lost connection is otherwise tried again, and the source has been read already: half of the files would be missing.
  const message = 'The connection to the Docker Engine was lost while files were written.'
  return engineFailure('engine_unreachable', message, error)
}
