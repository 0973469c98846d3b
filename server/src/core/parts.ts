import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Pool } from '../db/statement.ts'
import type { Archive } from '../drivers/archive/archive.ts'
import type { BlobStore } from '../drivers/blobs/blob-store.ts'
import type { CloudDoor } from '../drivers/cloud/cloud.ts'
import type { KeyRing } from '../drivers/crypto/key-ring.ts'
import type { DataDir } from '../drivers/data-dir/data-dir.ts'
import type { Dns } from '../drivers/dns/dns.ts'
import type { Edge } from '../drivers/edge/edge.ts'
import type { EngineInspector, EngineTarget } from '../drivers/engine/engine.ts'
import type { LocalFolders } from '../drivers/folder/local-folders.ts'
import type { GitHost } from '../drivers/githost/githost.ts'
import type { MailDoor } from '../drivers/mail/mail.ts'
import type { RegistryDoor } from '../drivers/registry/registry.ts'
import type { ServerReading } from '../drivers/runtime/reading/server-reader.ts'
import type { Runtime } from '../drivers/runtime/runtime.ts'
import type { StorageOpener } from '../drivers/storage/storage.ts'
import type { TlsProbe } from '../drivers/tls-probe/tls-probe.ts'
import type { Waker } from '../jobs/enqueue.ts'

/** The part of a logger that is used here. */
type Log = Record<'info' | 'warn' | 'error', (facts: object, words: string) => void>

/**
 * What every noun may be handed: the database, the configuration and the drivers, as types. A noun that has parts of its own says
 * them beside itself; `process/wiring.ts` joins them all.
 */
export type BaseParts = {
  config: Config
  db: Database
  pool: Pool
  dataDir: DataDir
  keys: KeyRing
  blobs: BlobStore
  engines: EngineInspector
  /** Folders of this machine; null where none may be looked at. */
  localFolders: LocalFolders | null
  /** Wakes whoever runs what was submitted. */
  transport: Waker
  changes: Notifications
  /** Where old logs lie. */
  archive: Archive
  runtime: Runtime
  /** Looks at servers, and can do no more. */
  serverReading: ServerReading
  edge: Edge<EngineTarget>
  dns: Dns
  tlsProbe: TlsProbe
  /** Opens places where backups go. */
  storage: StorageOpener
  /** Asks registries whether they take a login. */
  registryDoor: RegistryDoor
  githost: GitHost
  /** Takes our mail; null where none is sent. */
  mailDoor: MailDoor | null
  /** The hosted cloud that this instance works with; null where there is none. */
  cloudDoor: CloudDoor | null
  log: Log
  /** Aborted when the process is asked to end. */
  draining: AbortSignal
}
