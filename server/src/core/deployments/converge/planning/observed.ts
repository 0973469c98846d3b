import type { Snapshot } from '../../../../drivers/runtime/running/snapshot.ts'
import type { Route } from '../../routes/routes.ts'
import type { Identity } from './operation.ts'
import { claimIds } from './resources.ts'

export type ObservedService = {
  service: string
  deployment: string | null
  specHash: string | null
  job: boolean
  /** Replicas that the engine is told to run. */
  wanted: number
  /** Replicas of this identity that run and are healthy. */
  up: number
  /** Tasks of another identity that are still meant to run. */
  old: number
  /** For how long all replicas have been up without an interruption; 0: they are not. Stability without a watch. */
  upForMs: number
  /** `moving`: the engine is rolling it forward or back. */
  update: 'idle' | 'moving' | 'paused'
  /** What the engine tried and went back from by itself. */
  wentBackFrom: Identity[]
  /** A job: it has done its work; no task of it can come to anything any more. */
  done: boolean
  over: boolean
  /** What it has or may take at any moment, also for the spec that the engine would go back to. */
  claims: string[]
  /** Token of the last restart that was asked for. */
  restart: string | null
  /** Somebody has begun to remove it. Such a service is never updated: it goes, and is made anew. */
  leaving: boolean
}

export type ObservedServer = {
  services: ObservedService[]
  /** Who holds what by tasks that have not ended; its service may be gone already. */
  held: { resource: string; service: string }[]
  /** At the edge, of this project. */
  routes: Route[]
  volumes: string[]
  networks: string[]
}

/** By server. */
export type Observed = Record<string, ObservedServer>

/** What an engine shows of a project, in the words of a plan. */
export function observedOf(
  { services, held, networks }: Snapshot,
  { routes, volumes }: Pick<ObservedServer, 'routes' | 'volumes'>,
): ObservedServer {
  return {
    services: services.map(({ replicas, claims, image: _, updating: __, ...one }) => ({
      ...one,
      wanted: replicas.wanted,
      claims: [...new Set(claims.flatMap(claimIds))],
    })),
    held: held.flatMap(({ service, claims }) => claimIds(claims).map((resource) => ({ resource, service }))),
    routes,
    volumes,
    networks,
  }
}
