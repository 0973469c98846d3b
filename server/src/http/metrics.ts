import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { endingSoonest } from '../core/domains/certificates/store.ts'
import type { Platform } from '../core/platform.ts'
import { measureBackups } from './backup-metrics.ts'

export type Metrics = { registry: Registry; requests: Histogram }

export function createMetrics({ pool, db, dataDir }: Pick<Platform, 'pool' | 'db' | 'dataDir'>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'slipway_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  new Gauge({
    name: 'slipway_database_connections',
    help: 'Connections to PostgreSQL, by state; waiting counts requests that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
  new Gauge({
    name: 'slipway_certificate_days_left',
    help: `Days until a certificate ends, of the ${MOST_CERTIFICATES} that end soonest`,
    labelNames: ['host'],
    registers: [registry],
    async collect() {
      const ends = await endingSoonest(db, MOST_CERTIFICATES).catch(() => [])
      this.reset()
      for (const { host, notAfter } of ends)
        if (notAfter) this.set({ host }, Math.round((notAfter.getTime() - Date.now()) / 8640) / 1e4)
    },
  })
  new Gauge({
    name: 'slipway_data_directory_bytes',
    help: 'Of the disk with the data directory: free for this process, and total',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const space = await dataDir.space().catch(() => undefined)
      if (!space) return
      this.set({ state: 'free' }, space.freeBytes)
      this.set({ state: 'total' }, space.totalBytes)
    },
  })
  measureBackups(registry, { dataDir })
  return { registry, requests }
}

/** Whatever ends is among them in time; a million lines would help nobody. */
const MOST_CERTIFICATES = 500

/** One line in the log and one observation per request. Bodies, queries and headers are never logged. */
export function measure(app: FastifyInstance, metrics: Metrics, logger: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, seconds)
    const level = reply.statusCode < 400 && request.method === 'GET' ? 'debug' : 'info'
    if (logger.isLevelEnabled(level)) logger[level](lineOf(request, reply), 'request')
    done()
  })
}

const lineOf = (request: FastifyRequest, reply: FastifyReply) => ({
  requestId: request.id,
  method: request.method,
  path: request.url.split('?')[0],
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime * 10) / 10,
  address: request.ip,
  ...(request.caller && { orgId: request.caller.orgId, userId: request.caller.userId }),
})
