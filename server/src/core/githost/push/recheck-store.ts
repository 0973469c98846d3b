import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

export type Due = {
  app: string
  installationId: string
  isMarked: boolean
  appId: string | null
  privateKey: string | null
  via: 'own' | 'cloud'
  orgId: string | null
}
type Named = Pick<Due, 'app' | 'installationId'>

/** Of apps of this host alone, and each for one process. */
export async function takeDue(db: Queryable, host: string, most: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with due as (select app, installation_id, checked_at = '-infinity' as is_marked from githost_installation
      where gone_at is null and checked_at < now() - interval '1 day'
        and app in (select id from githost_app where host = ${host}) order by checked_at limit ${most}
      for update skip locked),
    taken as (update githost_installation i set checked_at = now() from due
      where (i.app, i.installation_id) = (due.app, due.installation_id) returning i.app, i.installation_id, due.is_marked)
    select t.*, a.app_id, a.private_key, a.via, a.org_id from taken t join githost_app a on a.id = t.app`.execute(db)
  return rows
}

const of = ({ app, installationId }: Named) =>
  sql<boolean>`app = ${app} and installation_id = ${installationId}::bigint`

export const markGone = (db: Queryable, one: Named) =>
  db.updateTable('githostInstallation').set({ goneAt: new Date() }).where(of(one)).execute()

/** In some minutes. */
export const soonAgain = (db: Queryable, one: Named) =>
  db
    .updateTable('githostInstallation')
    .set({ checkedAt: sql<Date>`now() - interval '23 hours 55 minutes'` })
    .where(of(one))
    .execute()

export const linksOf = (db: Queryable, { app, installationId }: Named, most: number) =>
  db
    .selectFrom('githostLink')
    .select(['id', 'orgId'])
    .where('app', '=', app)
    .where('installationId', '=', installationId)
    .orderBy('id')
    .limit(most)
    .execute()

export const forgetListing = (db: Queryable, orgId: string, sourceKey: string) =>
  db
    .updateTable('githostMirror')
    .set({ listedAt: null, begunAt: null })
    .where('orgId', '=', orgId)
    .where('sourceKey', '=', sourceKey)
    .execute()

/** A repository that was renamed or transferred is the same one: its number says so. */
export async function followNames(db: Queryable, orgId: string, url: string): Promise<void> {
  await sql`update project p set repository = ${url} || '/' || r.owner || '/' || r.name || '.git', updated_at = now()
    from githost_repository r where p.org_id = ${orgId} and r.org_id = p.org_id and r.repo_id = p.githost_repo_id
      and starts_with(lower(p.repository), ${`${url}/`})
      and lower(regexp_replace(substr(p.repository, ${url.length + 2}), '(\\.git)?/?$', '')) <> r.full_name_key`.execute(
    db,
  )
}
