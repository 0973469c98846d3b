import type Docker from 'dockerode'

/** The door of a server: which host name, and below it which path, leads to which service. */
export interface Edge<Target> {
  /** Brings the edge to this state and returns when it answers. Changing it costs open connections; calling again does not. */
  ensure(target: Target, settings: EdgeSettings, signal?: AbortSignal): Promise<'created' | 'unchanged' | 'replaced'>
  /**
   * Makes the routes exactly these, whatever was there: after the edge or its volume was lost, and to be sure. They are
   * asked for after the edge's own have been read: what was written down before it came to the edge is then among them.
   * Two callers with the same routes may meet; with different ones the later wins or one fails with `routes_contested`.
   */
  reconcile(target: Target, wanted: RoutesWanted, signal?: AbortSignal): Promise<{ written: number; removed: number }>
  /** The same for the routes of one project; those of others are left alone, so any number of projects may meet. */
  route(
    target: Target,
    project: string,
    wanted: RoutesWanted,
    signal?: AbortSignal,
  ): Promise<{ written: number; removed: number }>
  state(target: Target, signal?: AbortSignal): Promise<EdgeRoute[]>
  /** Takes away the service, its files and its configuration; the network stays while others are on it. */
  remove(target: Target, signal?: AbortSignal): Promise<void>
}

export type EdgeRoute = {
  /** Lower case, ASCII (punycode). */
  host: string
  /** `/api` is `/api` and all below it, not `/apix`, and is passed on as it is. The longest wins; null is the whole host. */
  pathPrefix: string | null
  project: string
  service: string
  port: number
  /** Where its successor listens while it is being replaced: each container answers on one of the two. */
  also?: number | null
}

export type RoutesWanted = EdgeRoute[] | (() => Promise<EdgeRoute[]>)

export type EdgeSettings = {
  image: string
  httpPort: number
  httpsPort: number
  /** Which Slipway this edge belongs to; one that belongs to another is left alone. */
  instance: string
}

/** What the edge needs of an engine; the wiring makes it from the runtime driver's `connectEngine`. */
export interface EdgeEngine<Target> {
  connect(target: Target, signal: AbortSignal): Promise<EdgeConnection>
}

type EdgeConnection = {
  docker: Docker
  /** Words for an error of a request on this connection. */
  explain(error: unknown): Promise<unknown>
  close(): void
}

export type EdgeFailureCode =
  | 'edge_missing'
  | 'edge_foreign'
  | 'edge_not_started'
  | 'edge_timeout'
  | 'route_invalid'
  | 'routes_contested'

/** What the edge could not do. What stops earlier, on the way to the engine, is the engine's own failure. */
export class EdgeFailure extends Error {
  readonly code: EdgeFailureCode
  readonly hint: string

  constructor(code: EdgeFailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'EdgeFailure'
    this.code = code
    this.hint = hints[code]
  }
}

const hints: Record<EdgeFailureCode, string> = {
  edge_missing: 'Set up the edge of this server first.',
  edge_foreign: 'Remove the other edge, or use a server that carries only one Slipway.',
  edge_not_started: 'Check that the ports are free on the server and that it can get the image.',
  edge_timeout: "Look at the edge's tasks on the server: docker service ps --no-trunc NAME.",
  route_invalid: 'Host names are lower-case ASCII (punycode), paths such as /api/v1.',
  routes_contested: 'Try again; two changes of the routes met.',
}
