import type { ObservedServer, ObservedService } from '../../server/src/core/deployments/converge/planning/observed.ts'
import type { Operation, Spec } from '../../server/src/core/deployments/converge/planning/operation.ts'
import type { Standing } from '../../server/src/core/deployments/converge/planning/wanted.ts'
import type { Route } from '../../server/src/core/deployments/routes/routes.ts'

// For plans that are read as lists.

export type Made = Spec & { listens?: number | null }

export const spec = (service: string, { own = [], ...more }: Partial<Made> & { own?: string[] } = {}): Made => ({
  ...{ service, deployment: 'd1', specHash: 'v1', job: false, replicas: 1, after: [], monitorMs: 5000 },
  ...{ needs: own.map((id) => ({ id, label: id })), holds: own },
  order: own.length > 0 ? 'stop-first' : 'start-first',
  ...more,
})
export const d2 = { deployment: 'd2', specHash: 'v2' }
export const after = (...names: string[]) => ({ after: names.map((service) => ({ service, required: true })) })
export const job = { job: true, listens: null }

export const seen = (of: Spec, more: Partial<ObservedService> = {}): ObservedService => ({
  ...{ service: of.service, deployment: of.deployment, specHash: of.specHash, job: of.job, wanted: of.replicas },
  ...{ up: of.replicas, old: 0, upForMs: 60_000, update: 'idle', wentBackFrom: [], done: of.job, over: of.job },
  ...{ claims: of.job ? [] : of.holds, restart: null, leaving: false },
  ...more,
})
export const server = (services: ObservedService[], more: Partial<ObservedServer> = {}): { s1: ObservedServer } => ({
  s1: {
    services,
    held: services.flatMap(({ service, claims }) => claims.map((resource) => ({ resource, service }))),
    ...{ routes: [], volumes: [], networks: ['private'], ...more },
  },
})
export const routesTo = (services: Made[]): Route[] =>
  services.flatMap(({ service, listens = 80 }) =>
    listens === null ? [] : [{ host: `${service}.test`, pathPrefix: null, service, port: listens }],
  )
export const release = (services: Made[]): Standing => ({
  ...{ server: 's1', services, routes: routesTo(services), networks: ['private'] },
})
export const at = (services: Made[]) => {
  const all = services.map((one) => seen(one))
  return server(all, { routes: routesTo(services) })
}
export const steps = (ops: Operation[]) =>
  ops.map((op) => `${op.id}${op.after.length > 0 ? ` ← ${op.after.join(', ')}` : ''}`)
export const ids = (ops: Operation[]) => ops.map(({ id }) => id)
