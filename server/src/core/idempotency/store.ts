import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export type CallKey = { orgId: string; credentialId: string; key: string }

/** Claims a key; one that was claimed by a process that died is taken over after a minute. */
export async function claim(db: Queryable, call: CallKey, requestHash: Buffer, claim: string): Promise<boolean> {
  const done = await db
    .insertInto('idempotency')
    .values({ ...call, requestHash, claim, status: null, response: null })
    .onConflict((conflict) =>
      conflict
        .columns(['orgId', 'credentialId', 'key'])
        .doUpdateSet({ startedAt: sql`now()`, requestHash, claim, status: null, response: null })
        .where(
          sql<boolean>`idempotency.started_at < now() - interval '24 hours'
            or (idempotency.status is null and idempotency.started_at < now() - interval '1 minute')`,
        ),
    )
    .returning('key')
    .executeTakeFirst()
  return done !== undefined
}

export async function find(db: Queryable, call: CallKey) {
  return db
    .selectFrom('idempotency')
    .select(['requestHash', 'status', 'response'])
    .where('orgId', '=', call.orgId)
    .where('credentialId', '=', call.credentialId)
    .where('key', '=', call.key)
    .executeTakeFirst()
}

type Stored = { status: number; response: string }

export async function finish(db: Queryable, call: CallKey, claim: string, stored: Stored): Promise<void> {
  await db
    .updateTable('idempotency')
    .set(stored)
    .where('orgId', '=', call.orgId)
    .where('credentialId', '=', call.credentialId)
    .where('key', '=', call.key)
    .where('claim', '=', claim)
    .execute()
}

export async function remove(db: Queryable, call: CallKey, claim: string): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where('orgId', '=', call.orgId)
    .where('credentialId', '=', call.credentialId)
    .where('key', '=', call.key)
    .where('claim', '=', claim)
    .execute()
}

export async function removeOld(db: Queryable, limit: number): Promise<number> {
  const done = await sql`
    delete from idempotency where ctid = any (array(
      select ctid from idempotency where started_at < now() - interval '24 hours' limit ${limit}))`.execute(db)
  return Number(done.numAffectedRows ?? 0)
}
