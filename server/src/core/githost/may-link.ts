import type { Tx } from '../../db/database.ts'
import { type Caller, may } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { nameIn } from './repository-address.ts'
import { isTaken } from './rule-store.ts'

/** A credential that cannot read what the connection to the git host reads must not do it by way of a deployment. */
export async function mayLink(
  { config }: Pick<BaseParts, 'config'>,
  tx: Tx,
  caller: Caller,
  repository: string | null,
): Promise<boolean> {
  if (caller.projectId !== null || !may(caller, 'githost:read')) return false
  const named = nameIn(config.githost.url, repository)
  return named === null || !(await isTaken(tx, caller, `${named.owner}/${named.name}`))
}
