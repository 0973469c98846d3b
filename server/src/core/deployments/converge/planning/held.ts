import type { Fates, Spec } from './operation.ts'
import { clash } from './resources.ts'
import type { Wanted } from './wanted.ts'

/** Why a service of a rollout is not on its new form: it failed itself, or another one keeps it from it. */
export type Out = { by: string | null; reason: string }

/**
 * Services that do not get their new form. Those that wait for one that did not come up are not begun; and one that
 * would take a volume or a port from a service that goes back leaves it there, so that "failed services run their prior
 * version" stays possible. What nothing is to be done to is never among them.
 */
export function outs(wanted: Wanted, fates: Fates): Map<string, Out> {
  const found = new Map<string, Out>()
  if (wanted.manner === 'back' || wanted.restart !== undefined) return found
  for (const { service } of wanted.services)
    if (fates[service] === 'failed' || fates[service] === 'back' || fates[service] === 'lost')
      found.set(service, { by: null, reason: 'it did not come up' })
  const changed = wanted.services.filter(({ deployment }) => deployment === wanted.deployment)
  for (let grew = true; grew; ) {
    grew = false
    for (const spec of changed) {
      const out = found.has(spec.service) ? undefined : outOf(spec, wanted, found)
      if (out) found.set(spec.service, out)
      grew ||= out !== undefined
    }
  }
  return found
}

function outOf(spec: Spec, wanted: Wanted, found: Map<string, Out>): Out | undefined {
  for (const { service, required } of spec.after)
    if (required && found.has(service)) return { by: service, reason: `it waits for ${service}, which did not come up` }
  for (const old of wanted.prior) {
    if (old.service === spec.service || old.job || !found.has(old.service)) continue
    const both = spec.needs.find(({ id }) => old.holds.some((held) => clash(id, held)))
    if (both && !isShared(wanted, spec.service, old.service, both.id))
      return { by: old.service, reason: `${old.service} goes back and needs ${both.label}` }
  }
  return undefined
}

/** Services of one release that have the same thing mean it, be it in the release that is wanted or in the one before. */
export function isShared({ services, prior }: Pick<Wanted, 'services' | 'prior'>, a: string, b: string, id: string) {
  const has = (release: Spec[], name: string) =>
    release.some(({ service, holds }) => service === name && holds.some((held) => clash(id, held)))
  return [services, prior].some((release) => has(release, a) && has(release, b))
}

/** Whether it is as the release wants it: what nothing was to be done to is, whatever it waits for. */
export function cameOf(wanted: Wanted, fates: Fates, { service, deployment }: Spec): boolean {
  if (outs(wanted, fates).has(service)) return false
  return deployment !== wanted.deployment || fates[service] === 'came'
}

/** How a rollout ended: `partial` is for somebody to decide; where nothing new came up there is nothing to keep. */
export function verdictOf(wanted: Wanted, fates: Fates): 'ready' | 'partial' | 'failed' {
  const came = wanted.services.filter((spec) => cameOf(wanted, fates, spec))
  if (came.length === wanted.services.length) return 'ready'
  return came.some(({ deployment }) => deployment === wanted.deployment) ? 'partial' : 'failed'
}
