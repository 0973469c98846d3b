import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { people } from './core/access/people.ts'
import { feeds } from './core/deployments/feed.ts'
import type { DeployParts } from './core/deployments/parts.ts'
import { deployPipeline } from './core/deployments/pipeline.ts'
import type { Platform } from './core/platform.ts'
import { tokenUse } from './core/tokens/use.ts'
import { openDatabase } from './db/database.ts'
import { notifications } from './db/notifications.ts'
import { diskBlobs } from './drivers/blobs/disk-blobs.ts'
import { buildxBuilder } from './drivers/builder/buildx.ts'
import { syncContext } from './drivers/builder/context.ts'
import { alias } from './drivers/edge/alias.ts'
import { caddyEdge } from './drivers/edge/caddy.ts'
import { gitBinary } from './drivers/git/binary.ts'
import { connectEngine } from './drivers/runtime/connect.ts'
import type { EngineTarget } from './drivers/runtime/engine.ts'
import { dockerInspector } from './drivers/runtime/inspect.ts'
import { swarmRuntime } from './drivers/runtime/swarm.ts'
import { generateKeyPair } from './drivers/ssh/key-pair.ts'
import { publicKeyOf } from './drivers/ssh/public-key.ts'
import { openListener } from './jobs/listener.ts'
import { openTransport } from './jobs/transport.ts'
import { startWorker } from './jobs/worker.ts'

export type Wired = {
  platform: Platform
  drain: AbortController
  /** Begins to run what was submitted, until drained. */
  work(): Promise<{ drain(): Promise<void> }>
  /** Takes the edge of a server away, with all its routes. */
  removeEdge(target: EngineTarget, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export const createLogger = (level: string) =>
  pino({ level, base: { service: 'slipway' }, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRET_PATHS })
export type Logger = ReturnType<typeof createLogger>

/** Nothing logs these on purpose; this is the second lock. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'privateKey',
  'passphrase',
  'token',
  'value',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** The only place that builds the parts and hands them to core. */
export function wire(config: Config, logger: Logger): Wired {
  const onError = (error: Error) => logger.warn({ reason: error.message }, 'a database connection was lost')
  const { db, pool, close } = openDatabase({
    url: config.databaseUrl,
    connections: config.databaseConnections,
    onError,
  })
  const drain = new AbortController()
  const listener = openListener({ databaseUrl: config.databaseUrl, log: logger })
  const changes = notifications({ listener, pool, onError })
  const transport = openTransport({ databaseUrl: config.databaseUrl, listener, log: logger })
  const runtime = swarmRuntime({ instance: config.instance })
  const platform: Platform = {
    config,
    db,
    pool,
    keys: config.keys,
    people: people({ db, pool, config }),
    tokenUse: tokenUse(db),
    blobs: diskBlobs(join(config.dataDir, 'blobs')),
    engines: dockerInspector(),
    sshKeys: { generate: generateKeyPair, publicKeyOf },
    transport,
    changes,
    feeds: feeds(db, changes),
    runtime,
    draining: drain.signal,
  }
  return {
    platform,
    drain,
    work: () =>
      startWorker({
        db,
        transport,
        listener,
        log: logger,
        slots: SLOTS,
        pipelines: pipelines(platform),
        onChange: changes.send,
      }),
    removeEdge: (target, signal) => edgeOf(config).remove(target, signal),
    async close() {
      runtime.close()
      changes.close()
      await transport.close()
      await listener.close()
      await close()
    },
  }
}

/** Runs at once in one process; most of their time is spent waiting for an engine. */
const SLOTS = 8

/** Everything of the edge is called after the instance: two of them may share an engine. */
const edgeName = (config: Config) => `${config.instance}-edge`

const edgeOf = (config: Config) =>
  caddyEdge<EngineTarget>(
    { connect: (target, signal) => connectEngine(target, { signal, deadlineMs: 15_000 }) },
    { name: edgeName(config) },
  )

/** The kinds of runs, with what only they need. */
function pipelines(platform: Platform) {
  const { config } = platform
  const parts: DeployParts = {
    ...platform,
    builder: buildxBuilder({ ...config.builder, scratch: join(config.dataDir, 'builds'), instance: config.instance }),
    edge: edgeOf(config),
    git: gitBinary(),
    syncContext,
    edgeNetwork: { name: edgeName(config), alias },
  }
  return { deploy: deployPipeline(parts) }
}
