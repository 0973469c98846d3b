import type { GithostRule } from '@slipway/contract/githost-settings'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'

export const list = (db: Queryable, orgId: string) =>
  db
    .selectFrom('githostRule')
    .select(['role', 'pattern', 'allow'])
    .where('orgId', '=', orgId)
    .orderBy('role')
    .orderBy('pattern')
    .limit(1000)
    .execute() as Promise<GithostRule[]>

export async function replace(tx: Tx, orgId: string, rules: GithostRule[]): Promise<void> {
  await tx.deleteFrom('githostRule').where('orgId', '=', orgId).execute()
  const rows = [...new Map(rules.map((rule) => [`${rule.role} ${rule.pattern}`, { orgId, ...rule }])).values()]
  if (rows.length > 0) await tx.insertInto('githostRule').values(rows).execute()
}

/** Whether a rule takes a repository from the caller's role, by its name; what no listing has shown yet counts as well. */
export async function isTaken(db: Queryable, { orgId, role }: Pick<Caller, 'orgId' | 'role'>, fullName: string) {
  if (role === 'owner' || role === 'admin') return false
  const found = await db
    .selectFrom('githostRule')
    .select('allow')
    .where('orgId', '=', orgId)
    .where('role', '=', role)
    .where(sql<boolean>`${fullName.toLowerCase()} like matches`)
    .orderBy(sql`length(pattern)`, 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.allow === false
}
