import { hashSecret, newTokenSecret } from '../../src/core/access/secrets.ts'
import type { Database } from '../../src/db/database.ts'
import { newId } from '../../src/db/ids.ts'

/** An organization, its owner and the owner's token, straight into the database of a server that runs elsewhere. */
export async function addOwner(db: Database): Promise<{ orgId: string; token: string }> {
  const [orgId, userId, token] = [newId('org'), newId('usr'), newTokenSecret()]
  await db.insertInto('organization').values({ id: orgId, name: 'Boot' }).execute()
  await db.insertInto('person').values({ id: userId, name: 'Owner', email: 'owner@example.com' }).execute()
  await db.insertInto('member').values({ orgId, userId, role: 'owner' }).execute()
  await db
    .insertInto('token')
    .values({ id: newId('tok'), orgId, userId, name: 'boot', hash: hashSecret(token), hint: 'slp_boot' })
    .execute()
  return { orgId, token }
}
