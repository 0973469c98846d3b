import { createHash } from 'node:crypto'

/** What Slipway writes on everything it makes. Nothing without `instance` is ever changed or removed. */
export const LABEL = {
  /** Which Slipway made it: two may share an engine. */
  instance: 'slipway.instance',
  org: 'slipway.org',
  project: 'slipway.project',
  service: 'slipway.service',
  deployment: 'slipway.deployment',
  /** The hash of our own spec; the engine's copy of it differs from what was sent. */
  spec: 'slipway.spec',
  /** The hash of what runs in its containers, as it was sent: another hand may have changed it since. */
  content: 'slipway.content',
  /** The last restart that was asked for. */
  restart: 'slipway.restart',
  /** Containers that live for seconds: to look into an image without starting, or to set the limits of a build. */
  look: 'slipway.look',
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
