import { type Insertable, sql } from 'kysely'
import type { Queryable, Tx } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { refOf } from './head-store.ts'

export type Receiver = Awaited<ReturnType<typeof findReceiver>>

/** Whose deliveries come to this address: of an app, or of one repository's hook. */
export async function findReceiver(db: Queryable, key: string) {
  const app = await db.selectFrom('githostApp').selectAll().where('hookKey', '=', key).executeTakeFirst()
  if (app) return { kind: 'app' as const, ...app }
  const hook = await db.selectFrom('githostHook').selectAll().where('hookKey', '=', key).executeTakeFirst()
  return hook && { kind: 'hook' as const, ...hook }
}

export async function findConfigured(db: Queryable, host: string, appId: number): Promise<Receiver> {
  const rows = db.selectFrom('githostApp').selectAll().where('orgId', 'is', null).where('host', '=', host)
  const app = await rows.where('appId', '=', String(appId)).executeTakeFirst()
  return app && { kind: 'app' as const, ...app }
}

/** Organizations that may use this installation, and of it this repository, through this app. */
export async function linked(db: Queryable, app: string, installationId: number, repoId: number | null) {
  const rows = await db
    .selectFrom('githostLink as l')
    .innerJoin('githostInstallation as i', (join) =>
      join.onRef('i.app', '=', 'l.app').onRef('i.installationId', '=', 'l.installationId'),
    )
    .innerJoin('githostApp as a', 'a.id', 'l.app')
    .select('l.orgId')
    .where('l.app', '=', app)
    .where('l.installationId', '=', String(installationId))
    .where('l.brokenAt', 'is', null)
    .where((eb) => eb.or([eb('a.orgId', 'is', null), eb('a.orgId', '=', eb.ref('l.orgId'))]))
    .where(sql<boolean>`(l.repo_ids is null or ${repoId}::bigint is null or ${repoId}::bigint = any (l.repo_ids))`)
    .orderBy('l.orgId')
    .execute()
  return rows.map(({ orgId }) => orgId)
}

export type Branch = { orgId: string; repoId: number; ref: string }
export const keyOf = ({ orgId, repoId, ref }: Branch) => `${orgId} ${repoId} ${ref}`

/** Of these branches, those that their organizations deploy, by their keys. */
export async function deploying(db: Queryable, branches: Branch[]): Promise<Set<string>> {
  if (branches.length === 0) return new Set()
  const { rows } = await sql<{ orgId: string; repoId: string; ref: string }>`
    select distinct p.org_id, p.githost_repo_id as repo_id, ${refOf('p')} as ref from project p
    where p.org_id = any(${[...new Set(branches.map(({ orgId }) => orgId))]})
      and p.githost_repo_id = any(${[...new Set(branches.map(({ repoId }) => repoId))]}::bigint[])
      and p.githost_allowed`.execute(db)
  return new Set(rows.map(({ orgId, repoId, ref }) => keyOf({ orgId, repoId: Number(repoId), ref })))
}

/** What is there already stays as it is. Answers with the ids of those that were added. */
export async function insert(tx: Tx, rows: Insertable<Tables['githostDelivery']>[]): Promise<Set<string>> {
  const done = await tx
    .insertInto('githostDelivery')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['hookKey', 'guid']).doNothing())
    .returning('guid')
    .execute()
  return new Set(done.map(({ guid }) => guid))
}

export async function undecided(tx: Tx, hookKey: string, guids: string[]): Promise<Set<string>> {
  if (guids.length === 0) return new Set()
  const open = await tx
    .selectFrom('githostDelivery')
    .select('guid')
    .where('hookKey', '=', hookKey)
    .where('guid', '=', sql<string>`any(${guids})`)
    .where('decidedAt', 'is', null)
    .execute()
  return new Set(open.map(({ guid }) => guid))
}

const HOUR_MS = 3600_000
const MOST_HEARD = 10_000
const heard = new Map<string, number>()

/** That it was heard from is worth a write once an hour. */
export async function noteHeard(db: Queryable, { kind, id }: NonNullable<Receiver>): Promise<void> {
  if ((heard.get(id) ?? 0) > Date.now() - HOUR_MS / 2) return
  heard.delete(id)
  heard.set(id, Date.now())
  if (heard.size > MOST_HEARD) heard.delete(heard.keys().next().value ?? '')
  await db
    .updateTable(kind === 'app' ? 'githostApp' : 'githostHook')
    .set({ heardAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('heardAt', 'is', null), eb('heardAt', '<', sql<Date>`now() - interval '1 hour'`)]))
    .execute()
}

/** A worker asks the host what became of it; listings of it are old from now on. */
export async function markInstallation(tx: Tx, app: string, installationId: number): Promise<void> {
  await tx
    .updateTable('githostInstallation')
    .set({ checkedAt: sql<Date>`'-infinity'`, goneAt: null })
    .where('app', '=', app)
    .where('installationId', '=', String(installationId))
    .execute()
}

/** What a person allowed the app is taken back. */
export async function markRevoked(tx: Tx, app: { clientId: string; orgId: string | null }, login: string) {
  await tx
    .updateTable('githostAccount')
    .set({ brokenAt: new Date(), reason: `${login} has revoked the authorization at the git host.` })
    .where('clientId', '=', app.clientId)
    .where(sql`lower(login)`, '=', login.toLowerCase())
    .where((eb) => (app.orgId === null ? eb.lit(true) : eb('orgId', '=', app.orgId)))
    .execute()
}
