import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'

const bytes = (hashes: Iterable<string>) => Array.from(hashes, (hash) => Buffer.from(hash, 'hex'))

type Sized = { sha256: Buffer; size: string }
const sizes = (rows: Sized[]) => new Map(rows.map((row) => [row.sha256.toString('hex'), Number(row.size)]))

/** Whose contents: of an organization, and for a credential of one project only those that were sent for it. */
type Scope = { orgId: string; projectId: string | null }

/** Of a row of `blob`: whether it is there for the caller. */
export const shownFor = ({ projectId }: Scope) => sql<boolean>`(${projectId}::text is null or exists (
  select 1 from blob_project p
  where p.org_id = blob.org_id and p.sha256 = blob.sha256 and p.project_id = ${projectId}))`

const has = (scope: Scope, hashes: Iterable<string>) =>
  sql`blob.org_id = ${scope.orgId} and blob.sha256 = any(${bytes(hashes)}::bytea[]) and ${shownFor(scope)}`

/**
 * The contents that are there, by hash, with their sizes. Marks them as used: a sweep deletes only what was not
 * used for an hour, so it can lose a race against the caller's transaction but never win it wrongly. In the order of the
 * hashes, because two callers that lock the same rows in different orders would wait for each other.
 */
export async function touch(db: Queryable, scope: Scope, hashes: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await sql<Sized>`
    with present as (
      select sha256, size, touched_at from blob where ${has(scope, hashes)} order by sha256 for no key update),
    touched as (
      update blob set touched_at = now() from present
      where blob.org_id = ${scope.orgId} and blob.sha256 = present.sha256
        and present.touched_at < now() - interval '10 minutes')
    select sha256, size from present`.execute(db)
  return sizes(rows)
}

/** The contents that are there; they cannot be deleted before the transaction ends. */
export async function hold(db: Queryable, scope: Scope, hashes: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await sql<Sized>`
    select sha256, size from blob where ${has(scope, hashes)} order by sha256 for key share`.execute(db)
  return sizes(rows)
}

export async function present(db: Queryable, scope: Scope, hashes: Iterable<string>): Promise<Set<string>> {
  const { rows } = await sql<Sized>`select sha256, size from blob where ${has(scope, hashes)}`.execute(db)
  return new Set(sizes(rows).keys())
}

/** Where the content lies now: another's place where the organization had it already; null when the session takes no more. */
export async function insertFor(
  db: Queryable,
  { orgId, projectId }: Scope,
  sessionId: string,
  { sha256, size, location }: StoredBlob,
): Promise<string | null> {
  const hash = Buffer.from(sha256, 'hex')
  const { rows } = await sql<{ location: string }>`
    with open as (
      select org_id from folder_session
      where id = ${sessionId} and org_id = ${orgId} and sealed_at is null and expires_at > now() for key share),
    stored as (
      insert into blob (org_id, sha256, size, location)
      select org_id, ${hash}::bytea, ${size}::bigint, ${location} from open
      on conflict (org_id, sha256) do update set touched_at = now() returning location),
    shown as (
      insert into blob_project (org_id, sha256, project_id)
      select org_id, ${hash}::bytea, ${projectId}::text from open where ${projectId}::text is not null
      on conflict do nothing)
    select location from stored`.execute(db)
  return rows[0]?.location ?? null
}

/** Returns the locations under which the contents are stored: another's where the organization had them already. */
export async function insertAll(db: Queryable, { orgId, projectId }: Scope, blobs: StoredBlob[]): Promise<Set<string>> {
  const sorted = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  const hashes = bytes(sorted.map((blob) => blob.sha256))
  const { rows } = await sql<{ location: string }>`
    insert into blob (org_id, sha256, size, location)
    select ${orgId}, * from unnest(
      ${hashes}::bytea[], ${sorted.map((blob) => blob.size)}::bigint[], ${sorted.map((blob) => blob.location)}::text[])
    on conflict (org_id, sha256) do update set touched_at = now() returning location`.execute(db)
  if (projectId !== null) {
    await sql`
      insert into blob_project (org_id, sha256, project_id)
      select ${orgId}, hash, ${projectId} from unnest(${hashes}::bytea[]) as hash on conflict do nothing`.execute(db)
  }
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
