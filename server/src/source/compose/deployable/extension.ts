import type { ComposeProject, NormalService } from '../project.ts'
import type { ComposeMount } from './service.ts'

/** What `x-slipway` may say: on a service, or on a volume. */
const KNOWN = { service: ['share', 'job'], volume: ['share'] }

function said(owner: Record<string, unknown> | undefined): Record<string, unknown> {
  const extension = owner?.['x-slipway']
  return typeof extension === 'object' && extension !== null ? (extension as Record<string, unknown>) : {}
}

/**
 * A job is a service that others wait for until it has completed, or one that says so itself. That it is not to be
 * restarted is no sign: compose restarts nothing by default.
 */
export function jobsOf({ services }: ComposeProject): Set<string> {
  const jobs = new Set<string>()
  for (const [name, service] of Object.entries(services)) {
    if (service.deploy?.mode?.endsWith('-job') || said(service).job === true) jobs.add(name)
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      if (condition === 'service_completed_successfully') jobs.add(other)
    }
  }
  return jobs
}

/** Declared, on the service, by a label or on every volume, that two containers may write there at once. */
export function canShare(service: NormalService, mounts: ComposeMount[], { volumes }: ComposeProject): boolean {
  if (said(service).share === true || /^(true|1|yes)$/i.test(service.labels?.['slipway.share'] ?? '')) return true
  return mounts.filter(isWritable).every((mount) => {
    const volume = mount.kind === 'volume' && Object.hasOwn(volumes, mount.volume) ? volumes[mount.volume] : undefined
    return said(volume).share === true
  })
}

export const isWritable = (mount: ComposeMount) => mount.kind !== 'tmpfs' && !mount.readOnly

/** Words of ours that we do not know are told, like everything that is not done. */
export function unknownWords({ services, volumes }: ComposeProject): { service: string | null; key: string }[] {
  const unknown = (owner: Record<string, unknown>, known: string[]) =>
    Object.keys(said(owner)).filter((word) => !known.includes(word))
  return [
    ...Object.entries(services).flatMap(([service, one]) =>
      unknown(one, KNOWN.service).map((word) => ({ service, key: `x-slipway.${word}` })),
    ),
    ...Object.entries(volumes).flatMap(([name, one]) =>
      unknown(one, KNOWN.volume).map((word) => ({ service: null, key: `volumes.${name}.x-slipway.${word}` })),
    ),
  ]
}
