import type { Readable } from 'node:stream'
import { DriverFailure } from '../../errors.ts'
import type { SshTarget } from '../ssh/target.ts'

export type StorageOptions = { signal: AbortSignal }

export type StoredObject = { key: string; bytes: number; modifiedAt: Date }
export type StoragePage = { objects: StoredObject[]; cursor: string | null }
export type PutResult = { bytes: number; sha256: string }

export type PutOptions = StorageOptions & {
  /** Told the sum of bytes that the other side has taken, rising, up to a few times a second. */
  onProgress?(bytes: number): void
}
export type GetOptions = StorageOptions & {
  /** Bytes from `from` to `to`, both included, as HTTP counts them. */
  range?: { from: number; to?: number }
  /** Hexadecimal; the stream of a whole object ends with `corrupted` if what came differs. */
  sha256?: string
}
export type ListOptions = StorageOptions & { cursor?: string; limit?: number }

/**
 * One opened destination. Keys are relative, `/`-separated, and lie below the destination's prefix. Nothing is seen under a
 * key before all of it is stored; an interrupted `put` leaves the old object, or none, and takes up to five seconds more to
 * tidy up where it had begun. Everything fails with `StorageFailure`, with the signal's reason, or with the source's own error.
 */
export interface Storage {
  /** Stores a stream of unknown length, replacing what was there, and checks what arrived. Chunks must not change afterwards. */
  put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>
  /** Reads no faster than the caller does. Destroy the stream to stop early. */
  get(key: string, options: GetOptions): Promise<Readable>
  stat(key: string, options: StorageOptions): Promise<{ bytes: number; modifiedAt: Date } | null>
  /** Every object whose key starts with `prefix`, in the order of the keys' bytes, by pages of at most `limit` (1,000). */
  list(prefix: string, options: ListOptions): Promise<StoragePage>
  /** What is absent already is fine. */
  delete(key: string, options: StorageOptions): Promise<void>
  deleteMany(keys: readonly string[], options: StorageOptions): Promise<void>
  /** Removes what killed processes left half-written before `olderThan`; says how many. */
  sweep(options: StorageOptions & { olderThan: Date }): Promise<number>
  close(): void
}

export type S3Place = {
  kind: 's3_compatible'
  /** A URL of `http:` or `https:`; null means Amazon itself. */
  endpoint: string | null
  region: string | null
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  forcePathStyle: boolean
  prefix: string
  /** PEM: whom to trust, beside the usual authorities. */
  roots?: string
}

export type SftpPlace = {
  kind: 'sftp'
  host: string
  port: number
  user: string
  password: string | null
  privateKey: string | null
  passphrase: string | null
  /** `ssh-ed25519 SHA256:…`; null before the first check, which then has to listen with `onHostKey`. */
  hostKey: string | null
  /** Below the folder that the login starts in; absolute with a leading `/`. */
  prefix: string
}

export type LocalPlace = {
  kind: 'local'
  /** The folder that nothing may leave (BACKUP_LOCAL_ROOT). */
  root: string
  /** Absolute, inside the root after every link on both sides. Made when it is not there. */
  path: string
  prefix?: string
}

export type PlatformServerPlace = {
  kind: 'platform_server'
  /** The machine itself, reached as its engine is; `local` is the one that Slipway runs on. */
  target: { kind: 'ssh'; ssh: SshTarget } | { kind: 'local' }
  /** Where backups lie on that machine; absolute. Made when it is not there. */
  folder: string
  prefix: string
}

export type StoragePlace = S3Place | SftpPlace | LocalPlace | PlatformServerPlace

export type OpenOptions = {
  /** Aborting ends everything that was opened, at any time. */
  signal: AbortSignal
  /** Asked with the resolved IP address, of each connection, at the moment it is made. */
  mayConnect?(address: string): boolean
  /** Only an explicit check gives it: takes the key of a server without a pin, and tells which it was. */
  onHostKey?(seen: string): void
  /** For reaching the other side, and for silence in the middle of something. */
  connectMs?: number
  stallMs?: number
}

export type StorageOpener = { open(place: StoragePlace, options: OpenOptions): Promise<Storage> }

export type StorageFailureCode =
  | 'unreachable'
  | 'name_not_found'
  | 'address_refused'
  | 'timeout'
  | 'tls'
  | 'auth'
  | 'key_unreadable'
  | 'host_key_unknown'
  | 'host_key_mismatch'
  | 'clock_skew'
  | 'bucket_missing'
  | 'wrong_region'
  | 'denied'
  | 'not_found'
  | 'full'
  | 'quota'
  | 'root_missing'
  | 'outside_root'
  | 'not_a_folder'
  | 'bad_place'
  | 'bad_key'
  | 'corrupted'
  | 'connection_lost'
  | 'failed'

/** Something expected that a destination could not do. The message has the other side's own words, and never a secret. */
export type StorageFailure = DriverFailure<'storage', StorageFailureCode>

type More = { hint?: string; cause?: unknown }

export const storageFailure = (code: StorageFailureCode, message: string, more: More = {}): StorageFailure =>
  new DriverFailure('storage', code, message, { hint: hints[code], ...more })

const hints: Record<StorageFailureCode, string> = {
  unreachable: 'Check the address and the port, that the service is running and that no firewall is in between.',
  name_not_found: 'Check the spelling of the host name.',
  address_refused:
    'Use a host with another address. Whoever runs this instance can open a network with SLIPWAY_ALLOWED_NETWORKS.',
  timeout: 'Check the address and the port; a firewall that drops packets looks exactly like this.',
  tls: 'Check that the endpoint starts with the right https:// or http:// and that its certificate is valid for this name.',
  auth: 'Check the user or access key and its secret.',
  key_unreadable: 'Give an unencrypted private key, or the right passphrase for it (OpenSSH or PEM format).',
  host_key_unknown: 'Run a preflight: the first one that succeeds learns the host key and shows it.',
  host_key_mismatch:
    'If the server was reinstalled, compare the fingerprint on its own console and set the new host key. Otherwise someone may be in between.',
  clock_skew: 'Set the clocks of both machines by NTP.',
  bucket_missing: 'Create the bucket first, or check its name and region.',
  wrong_region: "Set the destination's region to the one that the bucket lies in.",
  denied: 'Give the account the right to read, write and delete here.',
  not_found: 'Check the key and the path prefix.',
  full: 'Free some space there, or choose another destination.',
  quota: "Raise the account's quota, or delete what is not needed any more.",
  root_missing: 'Create the folder that BACKUP_LOCAL_ROOT names.',
  outside_root: 'Choose a path inside BACKUP_LOCAL_ROOT; links that lead out of it do not count.',
  not_a_folder: 'Choose the path of a folder.',
  bad_place: 'Check the fields of the destination.',
  bad_key: 'Keys are relative paths without empty parts, "." or "..", and at most 900 bytes long.',
  corrupted: 'Write it again; if it happens repeatedly, check the disk and the memory of the machine that stores it.',
  connection_lost: 'Try again; if it happens repeatedly, look at the network and at the log of the other side.',
  failed: 'Read the message of the other side, and try again.',
}
