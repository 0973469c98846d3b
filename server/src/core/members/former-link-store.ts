import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

type Why = Tables['formerLink']['why']

/** The link of an invitation that is about to be withdrawn or to get another code, in the same transaction. */
export async function rememberLink(
  db: Queryable,
  invitation: { orgId: string } & ({ id: string } | { email: string }),
  why: Why,
): Promise<void> {
  const which = 'id' in invitation ? sql`id = ${invitation.id}` : sql`lower(email) = lower(${invitation.email})`
  await sql`
    insert into former_link (code_hash, org_id, why)
    select code_hash, org_id, ${why} from invitation
    where org_id = ${invitation.orgId} and ${which} and accepted_at is null for update
    on conflict do nothing`.execute(db)
}

/** What is known of a code that does not lead in: only who holds it can ask. Nothing after some weeks. */
export async function findClosed(db: Queryable, codeHash: Buffer) {
  const invitation = await db
    .selectFrom('invitation')
    .select(['usedAt', 'acceptedAt', 'expiresAt', 'setup', sql<boolean>`expires_at <= now()`.as('isExpired')])
    .where('codeHash', '=', codeHash)
    .executeTakeFirst()
  if (invitation) return { invitation, why: null }
  const former = await db.selectFrom('formerLink').select('why').where('codeHash', '=', codeHash).executeTakeFirst()
  return { invitation: null, why: former?.why ?? null }
}

/** Codes are good for a week, and remembered for a month after it. */
export async function removeFormerLinks(db: Queryable): Promise<void> {
  await db.deleteFrom('formerLink').where(sql<boolean>`ended_at < now() - interval '37 days'`).execute()
}
