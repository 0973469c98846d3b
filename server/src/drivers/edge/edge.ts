import { DriverFailure } from '../../errors.ts'
import type { EngineConnection } from '../engine/connect.ts'

/** The door of a server: which host name, and below it which path, leads to which service. */
export interface Edge<Target> {
  /** Brings the edge to this state and returns when it answers. Changing it costs open connections; calling again does not. */
  ensure(
    target: Target,
    settings: EdgeSettings,
    signal?: AbortSignal,
    /** What one that is made anew knows from its first moment on. */
    contents?: EdgeContents,
  ): Promise<'created' | 'unchanged' | 'replaced'>
  /**
   * Makes the routes exactly these, whatever was there: after the edge or its volume was lost, and to be sure. They are
   * asked for after the edge's own have been read: what was written down before it came to the edge is then among them.
   * Two callers with the same routes may meet; with different ones the later wins or one fails with `routes_contested`.
   */
  reconcile(target: Target, wanted: RoutesWanted, signal?: AbortSignal): Promise<Reconciled>
  /** The same for the routes of one project; those of others are left alone, so any number of projects may meet. */
  route(
    target: Target,
    project: string,
    wanted: RoutesWanted,
    signal?: AbortSignal,
  ): Promise<{ written: number; removed: number }>
  state(target: Target, signal?: AbortSignal): Promise<EdgeRoute[]>
  gateways: EdgeGateways<Target>
  certificates: EdgeCertificates<Target>
  challenges: EdgeChallenges<Target>
  /** Takes away the container, its files and its network. */
  remove(target: Target, signal?: AbortSignal): Promise<void>
}

/** Which certificate a TLS client is shown, by the name it asks for. A name without one is refused. */
interface EdgeCertificates<Target> {
  /** Adds these; a host's former one is no longer shown from the next handshake on. Where a host has this id, nothing is done. */
  put(target: Target, certificates: EdgeCertificate[], signal?: AbortSignal): Promise<void>
  /**
   * Makes them exactly these: fills an emptied edge, takes away hosts that are not named, and deletes files and answered
   * challenges that count no more. As with routes, `wanted` is asked for after the edge's own have been read.
   */
  reconcile(
    target: Target,
    wanted: CertificatesWanted,
    signal?: AbortSignal,
  ): Promise<{ written: number; removed: number }>
  /** What is shown now. */
  state(target: Target, signal?: AbortSignal): Promise<{ host: string; id: string }[]>
}

/** The ways from the edge into the projects' own networks. The runtime takes one away with its project. */
interface EdgeGateways<Target> {
  /** Returns when it is made, or with `wait` when requests come through. */
  open(
    target: Target,
    gateway: Gateway,
    settings: EdgeSettings,
    options: { wait: boolean; signal?: AbortSignal },
  ): Promise<void>
  /** Makes those that are missing, and brings those of an older platform up to date. */
  mend(target: Target, gateways: Gateway[], settings: EdgeSettings, signal?: AbortSignal): Promise<Mended>
}

/** `failed`: which could not be had and why, one sentence each. */
export type Mended = { changed: number; failed: string[] }

export type EdgeCertificate = {
  /** `*.example.com` is for all names right below `example.com` that have none of their own. */
  host: string
  /** Another certificate has another id. */
  id: string
  /** The chain and its key; asked for only when the edge lacks it. */
  pem: string | (() => Promise<string>)
}

export type CertificatesWanted = EdgeCertificate[] | (() => Promise<EdgeCertificate[]>)

export type EdgeContents = { routes(): Promise<EdgeRoute[]>; certificates(): Promise<EdgeCertificate[]> }

/** Answers to a CA (HTTP-01), for any host and also without a route. */
interface EdgeChallenges<Target> {
  put(target: Target, token: string, keyAuthorization: string, signal?: AbortSignal): Promise<void>
  remove(target: Target, token: string, signal?: AbortSignal): Promise<void>
}

/** In place of a project's id: the route leads to the platform itself. */
export const PLATFORM = 'platform'
export type PlatformProject = typeof PLATFORM

export type EdgeRoute = {
  /** Lower case, ASCII (punycode). `*.example.com` is for all names right below `example.com` that have no route. */
  host: string
  /** `/api` is `/api` and all below it, not `/apix`, and is passed on as it is. The longest wins; null is the whole host. */
  pathPrefix: string | null
  project: string
  service: string
  port: number
  /** Where its successor listens while it is being replaced: each container answers on one of the two. */
  also?: number | null
  /** Sends plain HTTP to https; `hsts` also tells browsers to remember that. For hosts that have a certificate. */
  secure?: 'redirect' | 'hsts' | null
  /** Sends visitors to the same path of another host; service and port do not matter then. */
  redirectTo?: { host: string; https: boolean } | null
}

/** `unfit`: why routes were left out, one sentence each. */
export type Reconciled = { written: number; removed: number; unfit?: string[] }

export type RoutesWanted = EdgeRoute[] | (() => Promise<EdgeRoute[]>)

export type Gateway = {
  project: string
  org: string
  /** Where the project's public services are. */
  network: string
}

export type EdgeSettings = {
  image: string
  httpPort: number
  httpsPort: number
  /** What visitors see, where that is not the same: another program may be in front. */
  publicHttpPort?: number
  publicHttpsPort?: number
  /** A unix socket on this machine that routes of `PLATFORM` lead to, in a folder that holds nothing else; null: none do. */
  platformSocket?: string | null
  /** Which Slipway this edge belongs to; one that belongs to another is left alone. */
  instance: string
}

/** What the edge needs of an engine; the wiring makes it from the engine driver's `connectEngine`. */
export interface EdgeEngine<Target> {
  connect(target: Target, signal: AbortSignal): Promise<Pick<EngineConnection, 'docker' | 'explain' | 'close'>>
}

export type EdgeFailureCode =
  | 'edge_missing'
  | 'edge_foreign'
  | 'edge_not_started'
  | 'edge_timeout'
  | 'route_invalid'
  | 'routes_contested'
  | 'certificate_invalid'
  | 'certificates_contested'
  | 'challenge_invalid'

/** What the edge could not do. What stops earlier, on the way to the engine, is the engine's own failure. */
export type EdgeFailure = DriverFailure<'edge', EdgeFailureCode>

export const edgeFailure = (code: EdgeFailureCode, message: string, cause?: unknown): EdgeFailure =>
  new DriverFailure('edge', code, message, { hint: hints[code], cause })

const hints: Record<EdgeFailureCode, string> = {
  edge_missing: 'Set up the edge of this server first.',
  edge_foreign: 'Remove the other edge, or use a server that carries only one Slipway.',
  edge_not_started: 'Check that the ports are free on the server and that it can get the image.',
  edge_timeout: "Look at the edge's container on the server: docker ps -a --filter label=slipway.role=edge.",
  route_invalid: 'Host names are lower-case ASCII (punycode), paths such as /api/v1.',
  routes_contested: 'Try again; two changes of the routes met.',
  certificate_invalid: 'Give a PEM file with the chain, its first certificate for this host, and its private key.',
  certificates_contested: 'Try again; two changes of the certificates met.',
  challenge_invalid: 'Tokens and answers have only letters, digits, hyphens, underscores and dots.',
}
