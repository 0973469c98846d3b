import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export type CallKey = { orgId: string; credentialId: string; key: string }

/** Claims a key; one whose process has not been heard of for a minute is taken over. */
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

/** These are still being run. One that was taken over all the same is not touched. */
export async function beat(db: Queryable, calls: (CallKey & { claim: string })[]): Promise<void> {
  const column = (name: 'orgId' | 'credentialId' | 'key' | 'claim') => sql`${calls.map((call) => call[name])}::text[]`
  await sql`
    update idempotency i set started_at = now()
    from unnest(${column('orgId')}, ${column('credentialId')}, ${column('key')}, ${column('claim')})
      as running (org_id, credential_id, key, claim)
    where i.org_id = running.org_id and i.credential_id = running.credential_id and i.key = running.key
      and i.claim = running.claim and i.status is null`.execute(db)
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
