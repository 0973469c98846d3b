import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { EdgeRoute, PlatformProject } from '../../../drivers/edge/edge.ts'
import * as certificates from '../certificates/store.ts'

/** Stands for a project's id where a name leads to the platform itself. */
export const PLATFORM: PlatformProject = 'platform'

/** In the text: with a parameter there, a prepared statement does not find the index. */
const isPlatform = sql<boolean>`kind = 'platform'`

type Address = { host: string; orgId: string }

export const find = (db: Queryable): Promise<Address | undefined> =>
  db.selectFrom('hostName').select(['host', 'orgId']).where(isPlatform).executeTakeFirst()

/** Who has this machine's engine, or is to have it. */
export async function holderOfMachine(db: Queryable): Promise<string | undefined> {
  const { rows } = await sql<{ orgId: string }>`
    select org_id from server where kind = 'local' order by engine_id is null, id limit 1`.execute(db)
  return rows[0]?.orgId
}

export const certificate = (db: Queryable, { host, orgId }: Address) =>
  db
    .selectFrom('certificate')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('host', '=', host)
    .where('projectId', 'is', null)
    .executeTakeFirst()

/** Whether it is the platform's now: false while a project has it. */
export async function claim(db: Queryable, { host, orgId }: Address): Promise<boolean> {
  const made = await db
    .insertInto('hostName')
    .values({ host, orgId, projectId: null, kind: 'platform' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('host')
    .executeTakeFirst()
  if (made) await certificates.insert(db, { id: newId('crt'), orgId, projectId: null, host })
  return made !== undefined
}

/** Its certificate goes with it. */
export const release = (db: Queryable) => db.deleteFrom('hostName').where(isPlatform).execute()

/** Only with a certificate: whoever signs in there sends a password. */
export async function routesToPlatform(db: Queryable, serverId: string): Promise<Required<EdgeRoute>[]> {
  const { rows } = await sql<{ host: string }>`
    select h.host from host_name h join certificate c on c.host = h.host
    where h.kind = 'platform' and c.installed is not null and c.not_after > now()
      and ${serverId} = (${certificates.machineOf(sql`h.org_id`)})`.execute(db)
  const route = { pathPrefix: null, project: PLATFORM, service: 'server', port: 1, also: null, redirectTo: null }
  return rows.map(({ host }) => ({ ...route, host, secure: 'redirect' }))
}
