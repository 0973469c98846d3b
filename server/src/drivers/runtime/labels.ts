import { createHash } from 'node:crypto'

/** What Slipway writes on everything it makes. Nothing without `instance` is ever changed or removed. */
export const LABEL = {
  /** Which Slipway made it: two may share an engine. */
  instance: 'slipway.instance',
  /** On the mark of an engine: its id, which no other has. */
  instanceId: 'slipway.instance-id',
  org: 'slipway.org',
  project: 'slipway.project',
  service: 'slipway.service',
  deployment: 'slipway.deployment',
  /** The hash of our own spec; the engine's copy of it differs from what was sent. */
  spec: 'slipway.spec',
  /** The hash of what runs in its containers, as it was sent: another hand may have changed it since. */
  content: 'slipway.content',
  /** What the release calls the image that a container was started from by its id. */
  image: 'slipway.image',
  /** It is being removed, and is never updated again. */
  leaving: 'slipway.leaving',
  /** How many replicas a service gets; they are not started all at once. */
  replicas: 'slipway.replicas',
  /** The last restart that was asked for. */
  restart: 'slipway.restart',
  /** Containers that never run: to look into an image, to set the limits of a build, or to write into a volume. */
  look: 'slipway.look',
  /** What a project calls a volume, or a file that is laid into its containers: for people, in lists of the engine. */
  volume: 'slipway.volume',
  file: 'slipway.file',
  /** On containers whose end without an error is no failure. */
  mayEnd: 'slipway.may-end',
} as const

export type ServiceKey = { project: string; service: string }

/**
 * The name a service has on the engine. Swarm takes letters, digits and dashes, 63 at most, and looks names up without
 * regard to whose they are; the hash keeps apart what looks the same after cleaning.
 */
export function serviceName(instance: string, { project, service }: ServiceKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([instance, project, service]))
    .digest('hex')
  return [...[project, service].map(clean), hash.slice(0, 10)].filter((part) => part !== '').join('-')
}

/** The volume of a project that holds files of its source; `putFiles` fills it. */
export const FILES_VOLUME = 'files'

/** The name of a project's volume, the same for ever: it is all that leads back to the data. */
export function projectVolume(project: string, key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([project, key]))
    .digest('hex')
  return [...[project, key].map(clean), hash.slice(0, 10)].filter((part) => part !== '').join('-')
}

/** Whether a volume that bears no label is called as those of the project are: brought by whoever runs the server. */
export const isCalledAfter = (project: string, volume: string): boolean => volume.startsWith(`${clean(project)}-`)

/** The name of a file that the engine keeps. Its own attributes are part of it: the engine keeps them once per name. */
export function fileName(instance: string, project: string, { kind, content, uid, gid, mode }: NamedFile): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([instance, project, kind, content, uid, gid, mode]))
    .digest('hex')
  return [clean(project), hash.slice(0, 20)].filter((part) => part !== '').join('-')
}

type NamedFile = { kind: string; content: string; uid: string; gid: string; mode: number }

function clean(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 24)
    .replace(/^-|-$/g, '')
}

/** A filter for lists: all of these labels. */
export function having(labels: Record<string, string>): { label: string[] } {
  return { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) }
}
