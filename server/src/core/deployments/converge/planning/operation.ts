import type { Route } from '../../routes/routes.ts'

/** Which write something belongs to: the deployment that brought it, and the hash of its content. */
export type Identity = { deployment: string; specHash: string }

/** What only one can have at a time; `resources.ts` makes them. `label` is for people: "the volume data". */
export type Resource = { id: string; label: string }

/** One service of a release, as far as planning looks at it. It holds no secret: a plan is stored and shown. */
export type Spec = Identity & {
  service: string
  job: boolean
  replicas: number
  /** `required: false` waits for the end of the other one, whatever that is. */
  after: { service: string; required: boolean }[]
  /** What it must have for itself alone. */
  needs: Resource[]
  /** All that it writes to or opens, also what it is ready to share. */
  holds: string[]
  /** A volume or a port makes it stop-first whatever the release says. */
  order: 'start-first' | 'stop-first'
  /** How long a task must have been up to be called stable without another watch. */
  monitorMs: number
}

/**
 * What has been learned about a service in this run and no look at the engine could tell; the journal keeps it.
 * `came`: proven up. `failed`: its new form is no good. `back`: that, and what it was before is proven up again.
 * `lost`: what it goes back to does not come up either. `begun` is never written down: this owner has made it a moment
 * ago and watches it, which no look could tell from "as it was".
 */
export type Fate = 'came' | 'failed' | 'back' | 'lost' | 'begun'
export type Fates = Record<string, Fate>

type Base = {
  /** Stable over re-planning: what is under way is not begun twice. */
  id: string
  server: string
  /** Ids of operations of the same plan that come first. Empty: it may begin now. */
  after: string[]
  /** Why, for people. */
  reason: string
}

/** `onFailure`: what its failure makes of the service. */
export type ServiceOperation = Base & { service: string; onFailure: Fate } & (
    | { kind: 'apply'; spec: Spec; interrupt: boolean }
    | { kind: 'run-job'; spec: Spec }
    /** `token`: containers of before that restart do not count, though they are of the same identity. */
    | {
        kind: 'wait-healthy'
        spec: Spec
        until: 'healthy' | 'serving' | 'done'
        onSuccess: Fate
        token?: string
      }
    | { kind: 'wait-idle' }
    /** `holders`: whose containers still have it, and are on their way out. */
    | { kind: 'wait-free'; resources: Resource[]; holders: string[] }
    | { kind: 'restart'; spec: Spec; token: string }
    /** `deployment`: whose it was when it was looked at; one that is another's by then stays. */
    | { kind: 'remove'; deployment: string | null; takenBy?: string }
  )

/** What services stand on before they start. */
export type GroundOperation = Base &
  ({ kind: 'ensure-networks'; networks: string[] } | { kind: 'route-both'; routes: Route[] })

type ProjectOperation =
  | GroundOperation
  | (Base &
      (
        | { kind: 'route' | 'forget-ports' | 'drop-route'; routes: Route[] }
        | { kind: 'withdraw'; atOnce: boolean }
        | { kind: 'drop-volumes' }
      ))

export type Operation = ServiceOperation | ProjectOperation

type Seen = { deployment: string | null; specHash: string | null }

export const same = (a: Seen | null | undefined, b: Seen | null | undefined): boolean =>
  a != null && b != null && a.deployment === b.deployment && a.specHash === b.specHash
