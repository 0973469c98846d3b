import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Pool } from '../db/statement.ts'
import type { Archive } from '../drivers/archive/archive.ts'
import type { BlobStore } from '../drivers/blobs/blob-store.ts'
import type { KeyRing } from '../drivers/crypto/key-ring.ts'
import type { DataDir } from '../drivers/data-dir/data-dir.ts'
import type { Dns } from '../drivers/dns/dns.ts'
import type { Edge } from '../drivers/edge/edge.ts'
import type { EngineInspector, EngineTarget } from '../drivers/engine/engine.ts'
import type { LocalFolders } from '../drivers/folder/local-folders.ts'
import type { GitHost } from '../drivers/githost/githost.ts'
import type { ServerReading } from '../drivers/runtime/reading/server-reader.ts'
import type { Runtime } from '../drivers/runtime/runtime.ts'
import type { StorageOpener } from '../drivers/storage/storage.ts'
import type { TlsProbe } from '../drivers/tls-probe/tls-probe.ts'
import type { Waker } from '../jobs/enqueue.ts'
import type { People } from './access/people.ts'
import type { Denials } from './audit/denials.ts'
import type { Feeds } from './deployments/events/feed.ts'
import type { History } from './deployments/events/history/history.ts'
import type { LiveRedactors } from './deployments/events/live-redactors.ts'
import type { Redactors } from './deployments/events/redact/redactors.ts'
import type { RemoteTrees } from './githost/remote-trees.ts'
import type { InstallationTokens } from './githost/tokens.ts'
import type { Claims } from './idempotency/claims.ts'
import type { Instance } from './instance/guard.ts'
import type { ScanTurns } from './migration/scan-turns.ts'
import type { SshKeys } from './servers/ssh-keys.ts'
import type { TokenUse } from './tokens/use.ts'

/** The part of a logger that is used here. */
type Log = Record<'info' | 'warn' | 'error', (facts: object, words: string) => void>

/** All that core functions are handed. Each one names the few parts it needs. */
export type Platform = {
  config: Config
  db: Database
  pool: Pool
  /** Who this installation is: asked before anything is deleted. */
  instance: Instance
  dataDir: DataDir
  keys: KeyRing
  people: People
  tokenUse: TokenUse
  denials: Denials
  claims: Claims
  blobs: BlobStore
  engines: EngineInspector
  /** Folders of this machine; null where none may be looked at. */
  localFolders: LocalFolders | null
  sshKeys: SshKeys
  /** Wakes whoever runs what was submitted. */
  transport: Waker
  changes: Notifications
  /** Where old logs lie. */
  archive: Archive
  history: History
  feeds: Feeds
  redactors: Redactors
  liveRedactors: LiveRedactors
  runtime: Runtime
  /** Looks at servers, and can do no more. */
  serverReading: ServerReading
  scans: ScanTurns
  edge: Edge<EngineTarget>
  dns: Dns
  tlsProbe: TlsProbe
  /** Opens places where backups go. */
  storage: StorageOpener
  githost: GitHost
  remoteTrees: RemoteTrees
  githostTokens: InstallationTokens
  log: Log
  /** Aborted when the process is asked to end. */
  draining: AbortSignal
}
