import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Service, ServiceConfig, Variable } from '@slipway/contract/services'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { NEWEST, startOf, toPage } from '../page.ts'

type ServiceShown = z.output<typeof Service>
export type VariableShown = z.output<typeof Variable>
/** A project that was looked up with its organization. */
type Owner = { id: string; orgId: string }

/** Services and variables are listed by name, so a page starts after the empty name instead of the newest id. */
const after = (query: PageQuery) => (startOf(query) === NEWEST ? '' : startOf(query))

export async function listServices(db: Queryable, project: Owner, query: PageQuery): Promise<Page<ServiceShown>> {
  const rows = await db
    .selectFrom('service')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('variable')
        .select((v) =>
          v.fn
            .coalesce(sql<string[]>`array_agg(variable.name order by variable.name)`, sql<string[]>`'{}'`)
            .as('names'),
        )
        .whereRef('variable.projectId', '=', 'service.projectId')
        .whereRef('variable.service', '=', 'service.name')
        .as('environment'),
    )
    .where('projectId', '=', project.id)
    .where('orgId', '=', project.orgId)
    .where('name', '>', after(query))
    .orderBy('name')
    .limit(query.limit + 1)
    .execute()
  return toPage(
    rows,
    query,
    (row) => row.name,
    (row) => ({
      name: row.name,
      config: row.config,
      environment: row.environment ?? [],
      updatedAt: row.updatedAt.toISOString(),
    }),
  )
}

export async function putService(db: Queryable, project: Owner, name: string, config: ServiceConfig): Promise<Date> {
  const row = await db
    .insertInto('service')
    .values({ projectId: project.id, orgId: project.orgId, name, config: JSON.stringify(config) })
    .onConflict((conflict) =>
      conflict.columns(['projectId', 'name']).doUpdateSet({ config: JSON.stringify(config), updatedAt: sql`now()` }),
    )
    .returning('updatedAt')
    .executeTakeFirstOrThrow()
  return row.updatedAt
}

export async function removeService(db: Queryable, project: Owner, name: string): Promise<boolean> {
  const done = await db
    .deleteFrom('service')
    .where('projectId', '=', project.id)
    .where('orgId', '=', project.orgId)
    .where('name', '=', name)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

const ofProject = (db: Queryable, project: Owner) =>
  db.selectFrom('variable').selectAll().where('projectId', '=', project.id).where('orgId', '=', project.orgId)

/** The cursor is `service/name`: neither may contain a slash. */
export async function listVariables(db: Queryable, project: Owner, query: PageQuery): Promise<Page<VariableShown>> {
  const [service = '', name = ''] = after(query).split('/')
  const rows = await ofProject(db, project)
    .where(sql<boolean>`(service, name) > (${service}, ${name})`)
    .orderBy('service')
    .orderBy('name')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => `${row.service}/${row.name}`, shapeVariable)
}

/** At most 1,000: the number a project may have. */
export const allVariables = (db: Queryable, project: Owner) =>
  ofProject(db, project).orderBy('service').orderBy('name').limit(1000).execute()

/** Which they are, without their values. */
export const variableTitles = async (db: Queryable, project: Owner) =>
  (
    await db
      .selectFrom('variable')
      .select(['id', 'name', 'service', 'scope'])
      .where('projectId', '=', project.id)
      .where('orgId', '=', project.orgId)
      .orderBy('service')
      .orderBy('name')
      .limit(1000)
      .execute()
  ).map(({ service, ...one }) => ({ ...one, service: service || null }))

/** The first characters of each sealed value, and how many there are. PostgreSQL reads no more of long ones than that. */
export const startsOfVariables = (db: Queryable, project: Owner, characters: number) =>
  db
    .selectFrom('variable')
    .select(['id', sql<string>`left(value, ${characters})`.as('start'), sql<number>`octet_length(value)`.as('length')])
    .where('projectId', '=', project.id)
    .where('orgId', '=', project.orgId)
    .orderBy('service')
    .orderBy('name')
    .limit(1000)
    .execute()

export const variablesOf = (db: Queryable, project: Owner, ids: string[]) =>
  ofProject(db, project).where('id', 'in', ids).execute()

/** Another text whenever a value is: a variable that is set anew has a new id. */
export async function variablesVersion(db: Queryable, project: Owner): Promise<string> {
  const { version } = await db
    .selectFrom('variable')
    .select(sql<string>`md5(coalesce(string_agg(id, ' ' order by id), ''))`.as('version'))
    .where('projectId', '=', project.id)
    .where('orgId', '=', project.orgId)
    .executeTakeFirstOrThrow()
  return version
}

export const countVariables = async (db: Queryable, project: Owner) =>
  (
    await db
      .selectFrom('variable')
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .where('projectId', '=', project.id)
      .executeTakeFirstOrThrow()
  ).n

export const variableNames = (db: Queryable, project: Owner, service: string) =>
  ofProject(db, project).where('service', '=', service).orderBy('name').execute()

/**
 * A replaced variable gets a new id along with its value, which is sealed for that id. Arrays make it one statement
 * whatever the number, and the order keeps two callers from waiting for each other.
 */
export async function putVariables(db: Queryable, rows: NewVariable[]): Promise<VariableShown[]> {
  const sorted = rows.toSorted((a, b) => (`${a.service}/${a.name}` < `${b.service}/${b.name}` ? -1 : 1))
  const column = (name: keyof NewVariable) => sql`${sorted.map((row) => row[name])}::text[]`
  const stored = await sql<Parameters<typeof shapeVariable>[0]>`
    insert into variable (id, project_id, org_id, service, name, scope, value)
    select * from unnest(${column('id')}, ${column('projectId')}, ${column('orgId')}, ${column('service')},
      ${column('name')}, ${column('scope')}, ${column('value')})
    on conflict (project_id, service, name) do update
      set id = excluded.id, scope = excluded.scope, value = excluded.value, updated_at = now()
    returning name, service, scope, updated_at`.execute(db)
  return stored.rows.map(shapeVariable)
}
type NewVariable = Record<'id' | 'projectId' | 'orgId' | 'service' | 'name' | 'scope' | 'value', string>

export async function removeVariables(db: Queryable, project: Owner, service: string, name?: string): Promise<number> {
  let rows = db
    .deleteFrom('variable')
    .where('projectId', '=', project.id)
    .where('orgId', '=', project.orgId)
    .where('service', '=', service)
  if (name !== undefined) rows = rows.where('name', '=', name)
  return Number((await rows.executeTakeFirst()).numDeletedRows)
}

export const shapeVariable = (row: {
  name: string
  service: string
  scope: VariableShown['scope']
  updatedAt: Date
}) => ({
  name: row.name,
  service: row.service || null,
  scope: row.scope,
  updatedAt: row.updatedAt.toISOString(),
})
