import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'

const bytes = (hashes: Iterable<string>) => Array.from(hashes, (hash) => Buffer.from(hash, 'hex'))

type Sized = { sha256: Buffer; size: string }
const sizes = (rows: Sized[]) => new Map(rows.map((row) => [row.sha256.toString('hex'), Number(row.size)]))

/**
 * The contents the organization has, by hash, with their sizes. Marks them as used: a sweep deletes only what was not
 * used for an hour, so it can lose a race against the caller's transaction but never win it wrongly. In the order of the
 * hashes, because two callers that lock the same rows in different orders would wait for each other.
 */
export async function touch(db: Queryable, orgId: string, hashes: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await sql<Sized>`
    with present as (
      select sha256, size, touched_at from blob where org_id = ${orgId} and sha256 = any(${bytes(hashes)}::bytea[])
      order by sha256 for no key update),
    touched as (
      update blob set touched_at = now() from present
      where blob.org_id = ${orgId} and blob.sha256 = present.sha256
        and present.touched_at < now() - interval '10 minutes')
    select sha256, size from present`.execute(db)
  return sizes(rows)
}

/** The contents the organization has; they cannot be deleted before the transaction ends. */
export async function hold(db: Queryable, orgId: string, hashes: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await sql<Sized>`
    select sha256, size from blob where org_id = ${orgId} and sha256 = any(${bytes(hashes)}::bytea[])
    order by sha256 for key share`.execute(db)
  return sizes(rows)
}

/** False when the organization has the content by now, or when the session takes no more. */
export async function insertFor(db: Queryable, orgId: string, sessionId: string, blob: StoredBlob): Promise<boolean> {
  const { rows } = await sql`
    with open as (
      select org_id from folder_session
      where id = ${sessionId} and org_id = ${orgId} and sealed_at is null and expires_at > now() for key share)
    insert into blob (org_id, sha256, size, location)
    select org_id, ${Buffer.from(blob.sha256, 'hex')}::bytea, ${blob.size}::bigint, ${blob.location} from open
    on conflict (org_id, sha256) do nothing returning size`.execute(db)
  return rows.length > 0
}

/** Returns the locations under which the contents are stored: another's where the organization had them already. */
export async function insertAll(db: Queryable, orgId: string, blobs: StoredBlob[]): Promise<Set<string>> {
  const sorted = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  const { rows } = await sql<{ location: string }>`
    insert into blob (org_id, sha256, size, location)
    select ${orgId}, * from unnest(
      ${bytes(sorted.map((blob) => blob.sha256))}::bytea[], ${sorted.map((blob) => blob.size)}::bigint[],
      ${sorted.map((blob) => blob.location)}::text[])
    on conflict (org_id, sha256) do update set touched_at = now() returning location`.execute(db)
  return new Set(rows.map((row) => row.location))
}

export async function locationsOf(
  db: Queryable,
  orgId: string,
  hashes: Iterable<string>,
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('blob')
    .select(['sha256', 'location'])
    .where('orgId', '=', orgId)
    .where('sha256', '=', sql<Buffer>`any(${bytes(hashes)}::bytea[])`)
    .execute()
  return new Map(rows.map((row) => [row.sha256.toString('hex'), row.location]))
}

/** Forgets a content whose bytes are gone, so that the next session asks for it. */
export async function forget(db: Queryable, orgId: string, location: string): Promise<void> {
  await db.deleteFrom('blob').where('orgId', '=', orgId).where('location', '=', location).execute()
}

/** Which of these locations a row names, whoever's it is. */
export async function knownLocations(db: Queryable, locations: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('blob')
    .select('location')
    .where('location', '=', sql<string>`any(${locations})`)
    .execute()
  return new Set(rows.map((row) => row.location))
}
