import { createHash } from 'node:crypto'
import type { Storage, StoragePlace } from '../../drivers/storage/storage.ts'
import { Refusal } from '../../errors.ts'
import { record } from '../audit/record.ts'
import type { Instance } from '../instance/guard.ts'
import { mayConnect } from '../networks/may-connect.ts'
import type { BaseParts } from '../parts.ts'
import { below, DestinationUnusable, placeOf, type Secrets } from './place.ts'
import { nameAt, superseded } from './platform-backup-names.ts'
import { withoutSecrets } from './secrets.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'config' | 'keys' | 'storage'> & { instance: Pick<Instance, 'id'> }

type Sending = {
  destinationId: string
  source: AsyncIterable<Uint8Array>
  /** Of the file that is sent, in hexadecimal, as whoever made it has counted it. */
  sha256: string
  signal: AbortSignal
}

export type Sent = {
  name: string
  bytes: number
  removed: string[]
  /** Why old ones could not be removed: the new one is there all the same. */
  warning: string | null
}

const FOLDER = 'slipway-platform'
/** A half-written one that is older is of a process that was killed. */
const STRAY_MS = 48 * 3600_000
const TIDY_MS = 120_000

/**
 * For the person who runs the instance, who may take the destination of any organization. What is sent is sealed already. It counts as
 * sent when all of it was read back and is the same; only then do older ones go, and only those of this instance.
 */
export async function sendPlatformBackup(parts: Parts, { destinationId, ...sending }: Sending): Promise<Sent> {
  const row = await store.anywhere(parts.db, destinationId)
  if (!row) throw new Refusal('not_found', `There is no backup destination ${destinationId}.`, { hint: WHERE })
  const { place, secrets } = await placeOf(parts, row)
  const folder = `${FOLDER}/${await parts.instance.id()}`
  const sent = await explaining(secrets, sending.signal, () => sendTo(parts, below(place, folder), sending))
  const name = `${folder}/${sent.name}`
  const actor = { kind: 'system', name: 'platform backup', orgId: row.orgId } as const
  await record(parts.db, actor, 'backup_destination.platform_backup', row.id, { name, bytes: sent.bytes })
  return { ...sent, name, warning: sent.warning && withoutSecrets(sent.warning, secrets) }
}

const WHERE = 'GET /api/backup-destinations lists those of an organization; an id begins with dst_.'

async function sendTo(parts: Parts, place: StoragePlace, sending: Omit<Sending, 'destinationId'>): Promise<Sent> {
  const { source, sha256, signal } = sending
  const storage = await parts.storage.open(place, { signal, mayConnect: mayConnect(parts.config) })
  try {
    const name = nameAt(new Date())
    const bytes = await putAndReadBack(storage, name, { source, sha256, signal })
    return { name, bytes, ...(await removeOld(storage, name)) }
  } finally {
    storage.close()
  }
}

type Content = Pick<Sending, 'source' | 'sha256' | 'signal'>

async function putAndReadBack(storage: Storage, name: string, { source, sha256, signal }: Content): Promise<number> {
  const given = counting(source)
  await storage.put(name, given.chunks, { signal })
  try {
    const { bytes, sum } = given.counted()
    if (sum !== sha256) throw new DestinationUnusable('write', INCOMPLETE)
    const back = counting(await storage.get(name, { signal }))
    for await (const _ of back.chunks) signal.throwIfAborted()
    if (back.counted().sum !== sha256) throw new DestinationUnusable('read', DIFFERS)
    return bytes
  } catch (error) {
    // Nobody shall find it when a backup is needed.
    await storage.delete(name, { signal: AbortSignal.timeout(TIDY_MS) }).catch(() => {})
    throw error
  }
}

const DIFFERS = {
  message: 'What was read back is not what was written.',
  hint: 'Do not keep backups there before it is known why.',
}
const INCOMPLETE = {
  message: 'What came in is not the file whose checksum was given.',
  hint: 'Make the backup again; if it happens repeatedly, check disk and memory of this machine.',
}

function counting(source: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let bytes = 0
  async function* chunks() {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  return { chunks: chunks(), counted: () => ({ bytes, sum: hash.digest('hex') }) }
}

/** Where nothing may be deleted, as in a bucket with a lock, a backup is as good as elsewhere. */
async function removeOld(storage: Storage, fresh: string): Promise<Pick<Sent, 'removed' | 'warning'>> {
  const signal = AbortSignal.timeout(TIDY_MS)
  try {
    const removed = superseded(await namesIn(storage, signal), fresh)
    if (removed.length > 0) await storage.deleteMany(removed, { signal })
    await storage.sweep({ signal, olderThan: new Date(Date.now() - STRAY_MS) })
    return { removed, warning: null }
  } catch (error) {
    return { removed: [], warning: `Old backups could not be removed: ${(error as Error).message}` }
  }
}

async function namesIn(storage: Storage, signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const page = await storage.list('', { signal, ...(cursor !== null && { cursor }) })
    names.push(...page.objects.map(({ key }) => key))
    cursor = page.cursor
  } while (cursor !== null)
  return names
}

/** In words for whoever waits at the terminal, and a second lock on what the other side says. */
async function explaining<T>(secrets: Secrets, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const { message, hint } = signal.aborted ? TOO_LATE : (error as Error & { hint?: string })
    if (hint === undefined) throw error
    throw new DestinationUnusable('write', { message: withoutSecrets(message, secrets), hint })
  }
}

const TOO_LATE = {
  message: 'It was not sent and read back in time.',
  hint: 'Check how fast the destination is, or choose a nearer one.',
}
