import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'
import { newId } from '../../db/ids.ts'

/** better-auth's word for an account that has a password of its own. */
const BY_PASSWORD = 'credential'

export async function findByEmail(db: Queryable, email: string) {
  return db
    .selectFrom('person')
    .leftJoin('credential', (join) =>
      join.onRef('credential.userId', '=', 'person.id').on('credential.providerId', '=', BY_PASSWORD),
    )
    .select(['person.id', 'person.name', 'person.email', 'credential.password'])
    .where('person.email', '=', email.toLowerCase())
    .executeTakeFirst()
}

export async function find(db: Queryable, userId: string, orgId: string) {
  return db
    .selectFrom('person')
    .innerJoin('member', 'member.userId', 'person.id')
    .innerJoin('organization', 'organization.id', 'member.orgId')
    .select(['person.name', 'person.email', 'organization.name as orgName'])
    .where('person.id', '=', userId)
    .where('member.orgId', '=', orgId)
    .executeTakeFirstOrThrow()
}

export async function insert(db: Queryable, person: { id: string; name: string; email: string }) {
  await db
    .insertInto('person')
    .values({ ...person, email: person.email.toLowerCase() })
    .execute()
  return person
}

type NewPerson = { id: string; name: string; email: string; emailVerified?: boolean }

/** None when the address has an account meanwhile. */
export async function insertNew(db: Queryable, person: NewPerson) {
  return db
    .insertInto('person')
    .values({ ...person, email: person.email.toLowerCase() })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name'])
    .executeTakeFirst()
}

export async function rename(db: Queryable, userId: string, name: string): Promise<void> {
  await db.updateTable('person').set({ name }).where('id', '=', userId).execute()
}

export async function setPassword(db: Queryable, userId: string, password: string): Promise<void> {
  await db
    .insertInto('credential')
    .values({ id: newId('crd'), userId, accountId: userId, providerId: BY_PASSWORD, password })
    .onConflict((conflict) =>
      conflict.columns(['providerId', 'accountId']).doUpdateSet({ password, updatedAt: sql`now()` }),
    )
    .execute()
}

/** Nobody gets in with it until a setup link sets another one. */
export async function clearPassword(db: Queryable, userId: string): Promise<void> {
  await db
    .updateTable('credential')
    .set({ password: null, updatedAt: sql`now()` })
    .where('userId', '=', userId)
    .where('providerId', '=', BY_PASSWORD)
    .execute()
}

export async function endSessions(db: Queryable, userId: string, except: string | null): Promise<number> {
  let rows = db.deleteFrom('session').where('userId', '=', userId)
  if (except !== null) rows = rows.where('id', '!=', except)
  return Number((await rows.executeTakeFirst()).numDeletedRows)
}

export async function endSessionByToken(db: Queryable, token: string): Promise<void> {
  await db.deleteFrom('session').where('token', '=', token).execute()
}

/** The organizations that a person belongs to, the oldest first. */
export async function membershipsOf(db: Queryable, userId: string, most: number): Promise<string[]> {
  const rows = db.selectFrom('member').select('orgId').where('userId', '=', userId).orderBy('orgId').limit(most)
  return (await rows.execute()).map(({ orgId }) => orgId)
}

export async function oldestMembership(db: Queryable, userId: string) {
  return db
    .selectFrom('member')
    .select(['orgId', 'role'])
    .where('userId', '=', userId)
    .orderBy('orgId')
    .limit(1)
    .executeTakeFirst()
}

export async function activateOrganization(db: Queryable, sessionId: string, orgId: string): Promise<void> {
  await db.updateTable('session').set({ activeOrgId: orgId }).where('id', '=', sessionId).execute()
}

export async function anyOwner(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('member').select('userId').where('role', '=', 'owner').limit(1).executeTakeFirst()
  return row !== undefined
}

export async function insertOrganization(db: Queryable, organization: { id: string; name: string }): Promise<void> {
  await db.insertInto('organization').values(organization).execute()
}

export async function removeExpired(db: Queryable): Promise<void> {
  await deleteOld(db, 'session', sql`expires_at < now()`)
  await deleteOld(db, 'rate_limit', sql`last_request < extract(epoch from now() - interval '1 day')::bigint * 1000`)
}

/** Two operators who bootstrap at once do not both find an instance without an owner. */
export async function lockForBootstrap(db: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('slipway/bootstrap', 0))`.execute(db)
}

/** The oldest organization this person owns. */
export async function ownedBy(db: Queryable, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('member')
    .select('orgId')
    .where('userId', '=', userId)
    .where('role', '=', 'owner')
    .orderBy('orgId')
    .limit(1)
    .executeTakeFirst()
  return row?.orgId
}

/** All tokens of a person, whatever the organization, but one. */
export async function endTokens(db: Queryable, userId: string, except: string | null) {
  return db
    .deleteFrom('token')
    .using('member')
    .whereRef('token.orgId', '=', 'member.orgId')
    .whereRef('token.userId', '=', 'member.userId')
    .where('member.userId', '=', userId)
    .where('token.id', '!=', except ?? '')
    .returning(['token.orgId', 'token.id'])
    .execute()
}

/** Command lines that this person let in and that have not fetched their token yet. */
export async function endApprovals(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('cliSignIn').where('userId', '=', userId).execute()
}
