import type { FoundContainer, FoundImage } from '../../../drivers/runtime/reading/found.ts'
import { shown, type Tell } from './verdict.ts'

/** `reference`: how the image is called when it is used; `id`: which one that must be. */
export type CarriedImage = { reference: string; id: string; onlyHere: boolean; pinned: boolean }

/**
 * A digest of the repository that it was started from; else a tag that still means it; else its id. A digest alone is no proof
 * that a registry has it (the containerd image store gives one to every image), so the id is asked for again before it is used.
 */
export function imageOf({ run, imageId: id }: FoundContainer, image: FoundImage | null, tell: Tell): CarriedImage {
  const written = run.image
  if (image === null) {
    const short = id.slice(0, 19)
    tell.refuse('image', `Its image ${shown(short)} is no longer on the server, so no new container can be made of it.`)
    return { reference: id, id, onlyHere: true, pinned: false }
  }
  const name = repositoryIn(written)
  const pinned = image.digests.find((one) => name !== null && isSameRepository(one.split('@')[0] ?? '', name))
  if (pinned !== undefined) {
    // Where containerd keeps the images, each has a digest, also one that was made here.
    if (pinned.endsWith(`@${id}`))
      tell.warn(
        'image',
        `Whether a registry has ${shown(written)} cannot be told of this engine: it is used as it is, on this server.`,
      )
    return { reference: pinned, id, onlyHere: false, pinned: true }
  }
  const tag = image.tags.find((one) => one === withTag(written)) ?? image.tags[0]
  if (name !== null && tag !== withTag(written)) {
    tell.warn(
      'image',
      `${shown(written)} means another image now; the one that runs (${shown(tag ?? id.slice(0, 19))}) is kept.`,
    )
  }
  tell.warn(
    'image',
    `${shown(tag ?? id.slice(0, 19))} was made on the server, no registry is known to have it: it is used as it is, on this server only.`,
  )
  return { reference: tag ?? id, id, onlyHere: true, pinned: false }
}

/** The repository of a reference; null for an id. */
function repositoryIn(reference: string): string | null {
  if (/^(sha256:)?[0-9a-f]{12,64}$/.test(reference)) return null
  return reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '')
}

/** `nginx`, `library/nginx` and `docker.io/library/nginx` are one. */
const isSameRepository = (a: string, b: string) => familiar(a) === familiar(b)
const familiar = (name: string) => name.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '')

export const withTag = (reference: string) => (/:[^/]*$/.test(reference) ? reference : `${reference}:latest`)
