import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Pool } from '../db/statement.ts'
import type { BlobStore } from '../drivers/blobs/blob-store.ts'
import type { KeyRing } from '../drivers/crypto/key-ring.ts'
import type { EngineInspector } from '../drivers/runtime/engine.ts'
import type { Runtime } from '../drivers/runtime/runtime.ts'
import type { Waker } from '../jobs/enqueue.ts'
import type { People } from './access/people.ts'
import type { Feeds } from './deployments/feed.ts'
import type { SshKeys } from './servers/ssh-keys.ts'
import type { TokenUse } from './tokens/use.ts'

/** All that core functions are handed. Each one names the few parts it needs. */
export type Platform = {
  config: Config
  db: Database
  pool: Pool
  keys: KeyRing
  people: People
  tokenUse: TokenUse
  blobs: BlobStore
  engines: EngineInspector
  sshKeys: SshKeys
  /** Wakes whoever runs what was submitted. */
  transport: Waker
  changes: Notifications
  feeds: Feeds
  runtime: Runtime
  /** Aborted when the process is asked to end. */
  draining: AbortSignal
}
