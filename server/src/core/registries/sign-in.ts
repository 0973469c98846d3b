import type { Runtime } from '../../drivers/runtime/runtime.ts'
import type { BaseParts } from '../parts.ts'
import { loginsOf } from './logins.ts'

/**
 * The one way to the engine that every rollout takes, forwards and back: a service gets what its image is fetched with as it is now,
 * and not as it was when its release was frozen. Swarm keeps it, and a task that is moved to another node next month is fetched
 * with it; the engine asks for a token of its own each time. A release holds none of it.
 */
export const signIn = (runtime: Runtime, parts: Pick<BaseParts, 'db' | 'keys'>): Runtime => ({
  ...runtime,
  async apply(engine, spec, options) {
    const logins = await loginsOf(parts, { orgId: spec.org, projectId: spec.project })
    return runtime.apply(engine, spec, { ...options, login: logins.for(spec.image) })
  },
  async restart(engine, service, options) {
    const { spec } = options
    if (spec === undefined) return runtime.restart(engine, service, options)
    const logins = await loginsOf(parts, { orgId: spec.org, projectId: spec.project })
    return runtime.restart(engine, service, { ...options, login: logins.for(spec.image) })
  },
})
