import { timingSafeEqual } from 'node:crypto'
import { endpointsIn } from '@slipway/contract/endpoints'
import { openApiDocument } from '@slipway/contract/openapi'
import { operations } from '@slipway/contract/operations'
import type { FastifyRequest } from 'fastify'
import { showAddress } from '../../core/domains/names/platform-address.ts'
import { COMMAND_LINE, readCommandLine } from '../../core/operations/command-line.ts'
import { platformBackups } from '../../core/operations/platform-backups.ts'
import { readiness } from '../../core/operations/readiness.ts'
import type { Platform } from '../../core/platform.ts'
import { Refusal } from '../../errors.ts'
import { COMMIT, VERSION } from '../../version.ts'
import type { Metrics } from '../metrics.ts'
import { docsPage } from '../pages/docs-page.ts'
import { on, type Route } from '../route.ts'

/** The oldest command line that asks for nothing which is gone by now. */
const LEAST_CLI = '0.1.0'

export const operationRoutes = (platform: Platform, metrics: Metrics): Route[] => {
  const document = once(() => JSON.stringify(openApiDocument(endpointsIn(platform.config.mode), VERSION)))
  const page = once(() => docsPage(endpointsIn(platform.config.mode)))
  const commandLine = once(readCommandLine)
  return [
    on(operations.healthz, async () => ({ ok: true, version: VERSION })),
    on(operations.readyz, async ({ reply }) => {
      const state = await readiness(platform)
      if (!state.ok) reply.code(503).header('retry-after', '2')
      return state
    }),
    on(operations.instance, async () => ({
      version: VERSION,
      commit: COMMIT,
      mode: platform.config.mode,
      cli: { least: LEAST_CLI, newest: VERSION },
      baseDomain: platform.config.baseDomain,
    })),
    on(operations.address, () => showAddress(platform)),
    on(operations.backups, () => platformBackups(platform)),
    on(operations.metrics, async ({ request, reply }) => {
      refuseStrangers(request, platform.config.metricsToken)
      await reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    }),
    on(operations.openapi, async ({ reply }) => {
      await reply.type('application/json; charset=utf-8').send(document())
    }),
    on(operations.docs, async ({ reply }) => {
      await reply.type('text/html; charset=utf-8').send(page())
    }),
    on(operations.commandLine, async ({ reply }) => {
      await reply.type('application/gzip').send(commandLine().bytes)
    }),
    on(operations.commandLineSum, async ({ reply }) => {
      await reply.type('text/plain; charset=utf-8').send(`${commandLine().sha256}  ${COMMAND_LINE}\n`)
    }),
  ]
}

/** They are the same for everyone: made when first asked for, then kept. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Without a token there are no metrics. Where a request comes from is no credential: builds and applications on this
 * machine come from loopback too. A stranger is told that there is nothing.
 */
function refuseStrangers(request: FastifyRequest, token: string | null): void {
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  const known = token !== null && given.length === wanted.length && timingSafeEqual(given, wanted)
  if (!known) throw new Refusal('route_not_found', 'There is no GET /metrics.', { hint: 'Set SLIPWAY_METRICS_TOKEN.' })
}
