import { isFailure } from '../../errors.ts'
import { within } from '../ssh/within.ts'
import { EDGE_NAME } from './alias.ts'
import { certificatesState, putCertificates, reconcileCertificates } from './certificates/certificates.ts'
import { putChallenge, removeChallenge } from './certificates/challenges.ts'
import { type Edge, type EdgeEngine, type EdgeFailure, edgeFailure } from './edge.ts'
import { ensureEdge } from './ensure.ts'
import { mendGateways, openGateway } from './gateway/gateway.ts'
import { type RoutesSeen, readRoutes } from './read-routes.ts'
import { reconcileRoutes } from './reconcile.ts'
import { removeEdge } from './remove.ts'
import { type EdgeScope, runningEdge } from './running.ts'

/**
 * `name` is what container, network, volumes and gateways are called after. Only tests and a second instance on one engine
 * need another than the usual one.
 */
export type CaddyEdgeOptions = {
  name?: string
  deadlineMs?: number
  /** Longer than `deadlineMs`, because a new server fetches the image first. */
  ensureDeadlineMs?: number
  /** How long a port may be in use before that is a failure. */
  pendingMs?: number
}

/** Caddy as a container with host ports and one static configuration; routes are files in its volume. */
export function caddyEdge<Target>(engine: EdgeEngine<Target>, options: CaddyEdgeOptions = {}): Edge<Target> {
  const { name = EDGE_NAME, deadlineMs = 60_000, ensureDeadlineMs = 300_000, pendingMs = 20_000 } = options

  /** One operation on one connection: under a deadline, ended by the signal, failing in words. */
  async function on<T>(
    target: Target,
    outer: AbortSignal | undefined,
    work: (scope: EdgeScope) => Promise<T>,
    limitMs = deadlineMs,
  ): Promise<T> {
    const life = new AbortController()
    const signal = outer ? AbortSignal.any([outer, life.signal]) : life.signal
    const late = () => edgeFailure('edge_timeout', `The edge was not ready within ${limitMs / 1000} s.`)
    signal.throwIfAborted()
    const connection = await engine.connect(target, signal)
    try {
      const scope = { docker: connection.docker, name, signal, pendingMs }
      return await within(work(scope), { signal, deadlineMs: limitMs, late })
    } catch (error) {
      throw isFailure<EdgeFailure>(error, 'edge') || signal.aborted ? error : await connection.explain(error)
    } finally {
      // What still polls after a deadline ends here.
      life.abort()
      connection.close()
    }
  }

  return {
    ensure: (target, settings, signal, contents) =>
      on(target, signal, (scope) => ensureEdge(scope, settings, contents), ensureDeadlineMs),
    reconcile: (target, wanted, signal) => on(target, signal, (scope) => reconcileRoutes(scope, wanted)),
    route: (target, project, wanted, signal) => on(target, signal, (scope) => reconcileRoutes(scope, wanted, project)),
    gateways: {
      open: (target, gateway, settings, { wait, signal }) =>
        on(target, signal, (scope) => openGateway(scope, gateway, settings, wait), ensureDeadlineMs),
      mend: (target, gateways, settings, signal) =>
        on(target, signal, (scope) => mendGateways(scope, gateways, settings), ensureDeadlineMs),
    },
    state: (target, signal) => on(target, signal, async (scope) => (await seeRoutes(scope)).routes),
    certificates: {
      put: (target, certificates, signal) => on(target, signal, (scope) => putCertificates(scope, certificates)),
      reconcile: (target, wanted, signal) => on(target, signal, (scope) => reconcileCertificates(scope, wanted)),
      state: (target, signal) => on(target, signal, certificatesState),
    },
    challenges: {
      put: (target, token, answer, signal) => on(target, signal, (scope) => putChallenge(scope, token, answer)),
      remove: (target, token, signal) => on(target, signal, (scope) => removeChallenge(scope, token)),
    },
    remove: (target, signal) => on(target, signal, removeEdge),
  }
}

async function seeRoutes(scope: EdgeScope): Promise<RoutesSeen> {
  const { container } = await runningEdge(scope)
  return readRoutes(container, scope.signal)
}
