import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Endpoint, isServedIn } from '@slipway/contract/endpoint'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Platform } from '../core/platform.ts'
import type { Refusal } from '../errors.ts'
import { VERSION } from '../version.ts'
import { cloudForwarding } from './cloud-forward/forward-hook.ts'
import { doorkeeper } from './doorkeeper.ts'
import { guardRoutes } from './guard.ts'
import { type Metrics, measure } from './metrics.ts'
import { mount } from './mount.ts'
import { streams } from './open-streams.ts'
import { openDashboard } from './pages/dashboard.ts'
import { takeForms } from './pages/form.ts'
import { answerRefusals } from './refusals.ts'
import { allRoutes } from './routes/all.ts'
import { trustedProxies } from './trusted-proxies.ts'

export type App = FastifyInstance & { endpoints: Endpoint[] }
type Options = { platform: Platform; logger: Logger; metrics: Metrics }

/** The whole HTTP face: building it fails when a route says nothing about who may use it. */
export async function buildApp({ platform, logger, metrics }: Options): Promise<App> {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Each line names its request; a logger of its own for every request would cost more than the line.
    childLoggerFactory: (shared) => shared,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Long enough for a large upload over a slow line, short enough that a dripping body ends.
    requestTimeout: 60 * 60_000,
    trustProxy: trustedProxies(platform.config.trustProxy),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
  }) as unknown as App
  app.endpoints = guardRoutes(app)
  app.decorateRequest('caller', null)
  app.decorateRequest('stub', undefined)
  const { mode } = platform.config
  const open = streams(platform)
  const dashboard = openDashboard(platform.config.dashboardDir)
  const routes = allRoutes(platform, metrics, open, dashboard)
  const elsewhere = routes.map(({ endpoint }) => endpoint).filter((endpoint) => !isServedIn(mode, endpoint))
  const told = (refusal: Refusal, request: FastifyRequest) => noteDenied(platform, refusal, request)
  answerRefusals(app, { elsewhere, told, otherwise: dashboard.answer })
  takeBodies(app)
  takeForms(app)
  app.addHook('onSend', (request, reply, _, done) => {
    reply
      .header('x-request-id', request.id)
      .header('slipway-version', VERSION)
      .header('x-content-type-options', 'nosniff')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done()
  })
  measure(app, metrics, logger)
  const door = await doorkeeper(app, platform)
  mount(
    app,
    platform,
    { door, forwarding: cloudForwarding(platform, open) },
    routes.filter(({ endpoint }) => isServedIn(mode, endpoint)),
  )
  await app.ready()
  return app
}

/** What somebody was not allowed to do is in the audit log of their organization. */
function noteDenied({ denials }: Platform, { code, details }: Refusal, request: FastifyRequest): void {
  if (request.caller === null || (code !== 'permission_denied' && code !== 'project_restricted')) return
  const route = `${request.method} ${request.routeOptions.url ?? ''}`
  const detail = { route, ...(details.requires && { requires: details.requires }) }
  denials.note({ by: request.caller, action: 'permission.refused', target: route, detail: { ...detail, code } })
}

/** The caller's own id is kept when it is a plain one, so that a request can be followed across systems. */
function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given)) return given
  return `req_${randomUUID()}`
}

/** JSON is parsed, an empty body is no body, and what is streamed is handed on unread. */
function takeBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) done(null, undefined)
    else parseJson(request, text as string, done)
  })
  const pass = (_: unknown, stream: Readable, done: (error: Error | null, body?: unknown) => void) => done(null, stream)
  app.addContentTypeParser(['application/octet-stream', 'application/gzip', 'application/x-gzip'], pass)
}
