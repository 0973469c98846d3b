import type { Invitation, Member } from '@slipway/contract/access'
import type { Organization } from '@slipway/contract/me'
import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Role } from '@slipway/contract/permissions'
import { type Insertable, sql } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

export type MemberShown = z.output<typeof Member>
export type InvitationShown = z.output<typeof Invitation>
type OrganizationShown = z.output<typeof Organization>

const select = (db: Queryable, orgId: string) =>
  db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.userId')
    .select(['member.userId', 'member.role', 'member.createdAt', 'person.name', 'person.email'])
    .where('member.orgId', '=', orgId)
type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

const shape = (row: Row): MemberShown => ({
  userId: row.userId,
  name: row.name,
  email: row.email,
  role: row.role,
  joinedAt: row.createdAt.toISOString(),
})

export async function list(db: Queryable, orgId: string, query: PageQuery): Promise<Page<MemberShown>> {
  const rows = await select(db, orgId)
    .where('member.userId', '<', startOf(query))
    .orderBy('member.userId', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.userId, shape)
}

export async function find(db: Queryable, orgId: string, userId: string): Promise<MemberShown | undefined> {
  const row = await select(db, orgId).where('member.userId', '=', userId).executeTakeFirst()
  return row && shape(row)
}

export async function insert(db: Queryable, member: Insertable<Tables['member']>): Promise<boolean> {
  const done = await db
    .insertInto('member')
    .values(member)
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function setRole(db: Queryable, orgId: string, userId: string, role: Role): Promise<void> {
  await db.updateTable('member').set({ role }).where('orgId', '=', orgId).where('userId', '=', userId).execute()
}

export async function remove(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.deleteFrom('member').where('orgId', '=', orgId).where('userId', '=', userId).execute()
}

/** Locks the owners' rows, so that two owners who leave at once do not both find the other. */
export async function lockOwners(db: Queryable, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('member')
    .select('userId')
    .where('orgId', '=', orgId)
    .where('role', '=', 'owner')
    .forUpdate()
    .execute()
  return rows.map((row) => row.userId)
}

export async function organizationsOf(
  db: Queryable,
  userId: string,
  only: string | null,
  query: PageQuery,
): Promise<Page<OrganizationShown>> {
  let found = db
    .selectFrom('member')
    .innerJoin('organization', 'organization.id', 'member.orgId')
    .select(['organization.id', 'organization.name', 'organization.createdAt', 'member.role'])
    .where('member.userId', '=', userId)
    .where('member.orgId', '<', startOf(query))
    .orderBy('member.orgId', 'desc')
    .limit(query.limit + 1)
  if (only !== null) found = found.where('member.orgId', '=', only)
  const rows = await found.execute()
  return toPage(
    rows,
    query,
    (row) => row.id,
    (row) => ({ id: row.id, name: row.name, role: row.role, createdAt: row.createdAt.toISOString() }),
  )
}

const OPEN = sql<boolean>`accepted_at is null and expires_at > now()`

export async function listInvitations(db: Queryable, orgId: string, query: PageQuery): Promise<Page<InvitationShown>> {
  const rows = await db
    .selectFrom('invitation')
    .selectAll()
    .where('orgId', '=', orgId)
    .where(OPEN)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(
    rows,
    query,
    (row) => row.id,
    (row) => ({
      id: row.id,
      email: row.email,
      role: row.role,
      invitedBy: row.invitedBy,
      expiresAt: row.expiresAt.toISOString(),
      createdAt: row.createdAt.toISOString(),
    }),
  )
}

/** Whether the address has an open invitation, which stays until the transaction ends. */
export async function isInvited(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitation')
    .select('id')
    .where('orgId', '=', orgId)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('setup', '=', false)
    .where(OPEN)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** An open invitation of the same address is replaced: its old link stops working. */
export async function putInvitation(db: Queryable, invitation: Insertable<Tables['invitation']>): Promise<void> {
  const { id, orgId, email, role, codeHash, invitedBy, setup = false, tokenId = null, expiresAt } = invitation
  await sql`
    insert into invitation (id, org_id, email, role, code_hash, invited_by, setup, token_id, expires_at)
    values (${id}, ${orgId}, ${email}, ${role}, ${codeHash}, ${invitedBy}, ${setup}, ${tokenId}, ${expiresAt})
    on conflict (org_id, lower(email)) where accepted_at is null do update set
      id = excluded.id, role = excluded.role, code_hash = excluded.code_hash, invited_by = excluded.invited_by,
      setup = excluded.setup, token_id = excluded.token_id, attempts = 0, used_at = null,
      expires_at = excluded.expires_at, created_at = now()`.execute(db)
}

export async function removeInvitation(db: Queryable, orgId: string, id: string): Promise<boolean> {
  const done = await db
    .deleteFrom('invitation')
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

const MOST_ATTEMPTS = 5

/** The address that a code was made for, while it lets somebody in. */
export async function addressOf(db: Queryable, codeHash: Buffer): Promise<string | undefined> {
  const row = db.selectFrom('invitation').select('email').where('codeHash', '=', codeHash).where('usedAt', 'is', null)
  return (await row.where(OPEN).executeTakeFirst())?.email
}

/** Counts an attempt before it is made: what a code may cost is bounded, also when it is sent many times at once. */
export async function countAttempt(db: Queryable, codeHash: Buffer): Promise<boolean> {
  const counted = await db
    .updateTable('invitation')
    .set({ attempts: sql`attempts + 1` })
    .where('codeHash', '=', codeHash)
    .where('attempts', '<', MOST_ATTEMPTS)
    .where('usedAt', 'is', null)
    .where(OPEN)
    .returning('id')
    .executeTakeFirst()
  return counted !== undefined
}

/** Uses a link without a session, once, whether that lets anyone in or not. */
export async function useInvitation(db: Queryable, codeHash: Buffer) {
  return db
    .updateTable('invitation')
    .set({ usedAt: sql`now()` })
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .where(OPEN)
    .returning(['id', 'orgId', 'email', 'role', 'setup', 'tokenId'])
    .executeTakeFirst()
}

/** An open invitation by its code, until the transaction ends; a setup link is no invitation to somebody signed in. */
export async function lockInvitation(db: Queryable, codeHash: Buffer) {
  return db
    .selectFrom('invitation')
    .select(['id', 'orgId', 'email', 'role'])
    .where('codeHash', '=', codeHash)
    .where('setup', '=', false)
    .where(OPEN)
    .forUpdate()
    .executeTakeFirst()
}

/** Someone has joined by it: whoever comes second finds nothing. */
export async function closeInvitation(db: Queryable, id: string): Promise<void> {
  await db.updateTable('invitation').set({ acceptedAt: sql`now()` }).where('id', '=', id).execute()
}

export async function removeOldInvitations(db: Queryable): Promise<void> {
  await deleteOld(db, 'invitation', sql`expires_at < now() - interval '30 days'`)
}
