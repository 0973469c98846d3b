import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { people } from './core/access/people.ts'
import type { Platform } from './core/platform.ts'
import { tokenUse } from './core/tokens/use.ts'
import { openDatabase } from './db/database.ts'
import { diskBlobs } from './drivers/blobs/disk-blobs.ts'
import { dockerInspector } from './drivers/runtime/inspect.ts'
import { generateKeyPair } from './drivers/ssh/key-pair.ts'
import { publicKeyOf } from './drivers/ssh/public-key.ts'

export type Wired = { platform: Platform; drain: AbortController; close(): Promise<void> }

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
  const { db, pool, close } = openDatabase({
    url: config.databaseUrl,
    connections: config.databaseConnections,
    onError: (error) => logger.warn({ reason: error.message }, 'a database connection was lost'),
  })
  const drain = new AbortController()
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
    draining: drain.signal,
  }
  return { platform, drain, close }
}
