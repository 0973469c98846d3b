import { hashSecret } from '../../../server/src/core/access/secrets.ts'
import { findToken } from '../../../server/src/core/access/store.ts'
import { placeOf } from '../../../server/src/core/cloud/link-store.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import { keyThere } from '../../../server/src/http/cloud-forward/key-there.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'
import type { Ground } from './ground.ts'

/** Who calls at the cloud for the instance: with it, and the key that the cloud got to see, a write asked again is answered as it was. */
export async function linkCaller({ own }: Pick<Ground, 'own'>) {
  const { pool } = own.database as TestDatabase
  const { rows } = await pool.query('select credential from cloud_link where org_id = $1', [own.orgId])
  const [token] = await findToken(pool, [hashSecret(own.token)])
  if (!token) throw new Error('The token of the instance is not known to it.')
  return {
    token: parseKeyRing(SECRET_KEY).open(rows[0].credential, placeOf(own.orgId)),
    keyThere: (key: string) => keyThere({ credentialId: token.id }, key),
  }
}
