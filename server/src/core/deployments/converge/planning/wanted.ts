import type { Route } from '../../routes/routes.ts'
import type { Spec } from './operation.ts'

export type Wanted = {
  /** The server it belongs on. On every other server that was observed it is cleared away. */
  server: string | null
  /** Empty: nothing of it is to run. */
  services: Spec[]
  /** What a service goes back to when its new form fails. */
  prior: Spec[]
  /** Whose rollout this is; services of other deployments are as they were. Null: nobody's. */
  deployment: string | null
  /**
   * `forward`: in the order of dependencies, each may fail for itself, names lead to it when all came.
   * `back`: to what is known to be good, all at once, over whatever the engine is doing. Jobs are never run again.
   */
  manner: 'forward' | 'back'
  scope: Scope
  routes: Route[]
  /** `ended`: names are led there even if one of the services did not come back. */
  routeWhen: 'reached' | 'ended'
  networks: string[]
  /** `serving` does not ask whether tasks stay up: somebody waits, and they did before. */
  until: 'healthy' | 'serving'
  /** New tasks of the same spec, one service after the other. */
  restart?: string
  /** When nothing is to run: without a grace period. */
  atOnce?: boolean
  volumes?: 'keep' | 'delete'
}

/**
 * Which part of the way. `services`: they and nothing else. `rollout`: they and what they stand on, short of leading names to
 * them. `routes`: names alone. `others`: what is no part of it goes, and nothing else.
 */
type Scope = 'all' | 'services' | 'rollout' | 'routes' | 'others'

/** A release on a server, with the names that lead to it. */
export type Standing = { server: string; services: Spec[]; routes: Route[]; networks: string[] }

const base = ({ server, services, routes, networks }: Standing) => ({ server, services, routes, networks })
const nothing = { server: null, services: [], prior: [], routes: [], networks: [], deployment: null }
const back = { manner: 'back', scope: 'all', routeWhen: 'reached', until: 'healthy' } as const

/** A deployment, and a rollback: that is one with an old release under a new id. */
export const rollout = (release: Standing, active: Standing | null, deployment: string): Wanted => ({
  ...base(release),
  prior: active?.server === release.server ? active.services : [],
  deployment,
  manner: 'forward',
  scope: 'all',
  routeWhen: 'reached',
  until: 'healthy',
})

/** A release of which nothing is tried out again: what came up, and others as they were. Names lead to it, the rest goes. */
export const keep = (wanted: Wanted, kept: Pick<Standing, 'services' | 'routes'>): Wanted => ({
  ...wanted,
  ...kept,
  deployment: null,
})

/** Undoing a rollout: failed, rejected, or cancelled, when somebody waits. Without one before, all goes at once. */
export const putBack = (active: Standing | null, because: 'failed' | 'cancelled'): Wanted =>
  active === null
    ? { ...nothing, ...back, atOnce: true }
    : { ...base(active), prior: [], deployment: null, ...back, until: because === 'failed' ? 'healthy' : 'serving' }

/** What is written down, on every server; names lead there whatever its services do. */
export const settle = (active: Standing | null): Wanted =>
  active === null ? stop() : { ...putBack(active, 'failed'), routeWhen: 'ended' }

/** A release that does not hold goes, and the one before comes back. */
export const restoreAfterRelease = (before: Standing): Wanted => putBack(before, 'failed')

/** New containers of the same release, one service after the other. */
export const restart = (active: Standing, token: string): Wanted => ({
  ...base(active),
  prior: [],
  deployment: null,
  manner: 'forward',
  scope: 'services',
  routeWhen: 'reached',
  until: 'healthy',
  restart: token,
})

/** Names of the project changed. */
export const reroute = (active: Standing): Wanted => ({
  ...rollout(active, null, ''),
  deployment: null,
  scope: 'routes',
})

/** What is no part of a release goes; nothing else is touched. */
export const others = (release: Standing): Wanted => ({
  ...rollout(release, null, ''),
  deployment: null,
  scope: 'others',
})

export const stop = (): Wanted => ({ ...nothing, ...back })
export const forget = (volumes: 'keep' | 'delete'): Wanted => ({ ...stop(), volumes })
