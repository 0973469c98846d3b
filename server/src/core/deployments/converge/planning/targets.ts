import type { Target } from './chain.ts'
import type { Out } from './held.ts'
import type { ObservedServer } from './observed.ts'
import type { Fates, Spec } from './operation.ts'
import { clash } from './resources.ts'
import type { Wanted } from './wanted.ts'

const back = { manner: 'back', onFailure: 'lost' } as const

/** Where each service is to be. One that has none is left as it is. */
export function targetsOf(
  now: ObservedServer,
  wanted: Wanted,
  fates: Fates,
  out: Map<string, Out>,
): Map<string, Target> {
  const targets = new Map<string, Target>()
  for (const spec of wanted.services) {
    const target = targetOf(spec, wanted, fates, out.get(spec.service))
    if (target) targets.set(spec.service, target)
  }
  const isPart = (name: string) => wanted.services.some(({ service }) => service === name)
  const taken = [...targets.values()].flatMap(({ spec }) => spec?.holds ?? [])
  const isOpen = (name: string) => !isPart(name) && fates[name] !== 'lost'
  const gaveWay = wanted.prior.filter(({ service, job }) => out.size > 0 && isOpen(service) && !job)
  for (const old of gaveWay)
    if (!old.needs.some(({ id }) => taken.some((one) => clash(id, one))))
      targets.set(old.service, { ...back, spec: old, verify: false, reason: 'what it gave way to did not come up' })
  // Neither before nor now: a rollout left it. One that names lead to goes after them.
  const isRouted = (name: string) => now.routes.some(({ service }) => service === name)
  const strays = now.services.filter(({ service }) => isOpen(service) && !isRouted(service))
  if (wanted.manner === 'back' && wanted.scope === 'all')
    for (const { service } of strays)
      targets.set(service, { ...back, spec: null, verify: false, reason: 'it is no part of the release' })
  return targets
}

function targetOf(
  spec: Spec,
  { manner, prior, restart, deployment }: Wanted,
  fates: Fates,
  why: Out | undefined,
): Target | undefined {
  const fate = fates[spec.service]
  const changed = spec.deployment === deployment
  if (fate === 'lost' || (restart !== undefined && fate === 'failed')) return undefined
  if (!why) {
    const onFailure = restart !== undefined || (manner === 'forward' && changed) ? 'failed' : 'lost'
    const forward = changed ? 'the release wants it so' : 'it is not as it was'
    const reason = manner === 'back' ? 'it is what is known to be good' : forward
    return { spec, manner, verify: manner === 'back', onFailure, reason }
  }
  const old = prior.find((one) => one.service === spec.service && !one.job) ?? null
  // What a job did stays done, and its old form is not run again. It may have been a service before.
  if (!old && spec.job) return undefined
  return { ...back, spec: old, verify: fate === 'failed', reason: why.reason }
}
