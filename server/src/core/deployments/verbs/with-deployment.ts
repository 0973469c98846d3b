import type { Tx } from '../../../db/database.ts'
import type { Caller } from '../../access/caller.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { shape } from '../rows/shape.ts'

/** The answer to who started another deployment, with that deployment. */
export async function withDeployment<Started extends { deployment_id: string }>(
  tx: Tx,
  caller: Caller,
  started: Started,
) {
  return { ...started, deployment: shape(await requireDeployment(tx, caller, started.deployment_id), caller) }
}
