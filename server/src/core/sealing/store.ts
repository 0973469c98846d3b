import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { SealedColumn } from './columns.ts'

/** Says that values are sealed with this key; `from now on` takes it back that it was to go. */
export async function noteUse(db: Queryable, id: string, since: 'from now on' | 'still'): Promise<void> {
  const kept = since === 'still' ? {} : { retiringSince: null }
  await db
    .insertInto('sealingKey')
    .values({ id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ usedAt: sql`now()`, ...kept }))
    .execute()
}

export const all = (db: Queryable) =>
  db
    .selectFrom('sealingKey')
    .select(['id', 'retiringSince', sql<number>`extract(epoch from now() - used_at)::float8`.as('quietSeconds')])
    .orderBy('id')
    .execute()

/** All keys but this one are to go. */
export async function retireOthers(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('sealingKey')
    .set({ retiringSince: sql`coalesce(retiring_since, now())` })
    .where('id', '<>', id)
    .execute()
}

/** Only those that nobody has used meanwhile. */
export async function forget(db: Queryable, ids: string[], quietSeconds: number): Promise<string[]> {
  const gone = await db
    .deleteFrom('sealingKey')
    .where('id', 'in', ids)
    .where('retiringSince', 'is not', null)
    .where('usedAt', '<', sql<Date>`now() - make_interval(secs => ${quietSeconds})`)
    .returning('id')
    .execute()
  return gone.map(({ id }) => id)
}

/** A row of a page; `value` only where it is sealed with another key. */
export type Row = { key: string[]; value: string | null }

/**
 * The next rows in the order of their keys, whatever they hold: a page costs the same however few are left to do. The
 * values of those that are done stay where they are.
 */
export async function page(
  db: Queryable,
  column: SealedColumn,
  beginning: string,
  after: string[] | null,
  limit: number,
): Promise<Row[]> {
  const keys = sql.join(column.key.map((name) => sql.ref(name)))
  const start = after === null ? sql`true` : sql`(${keys}) > (${sql.join(after.map((one) => sql`${one}::text`))})`
  const { rows } = await sql<Row>`
    select array[${sql.join(column.key.map((name) => sql`${sql.ref(name)}::text`))}] as key,
      case when left(sealed, 3) = 'v1.' and left(sealed, ${beginning.length}::integer) <> ${beginning} then sealed end as value
    from (
      select ${keys}, ${sealedIn(column)} as sealed from ${sql.table(column.table)}
      where ${start} order by ${keys} limit ${limit}) as page`.execute(db)
  return rows
}

export type Change = { key: string[]; before: string; after: string }

/** Puts new values in the place of old ones. One that somebody changed meanwhile stays as it is. */
export async function swap(db: Queryable, column: SealedColumn, changes: Change[]): Promise<void> {
  const set =
    column.member === undefined
      ? sql`swapped.after`
      : sql`jsonb_set(${at(column)}, ${`{${column.member}}`}::text[], to_jsonb(swapped.after))`
  const sameRow = column.key.map((name, n) => sql`${sql.ref(`${column.table}.${name}`)} = ${sql.ref(`swapped.k${n}`)}`)
  const names = sql.join([...column.key.map((_, n) => sql.ref(`k${n}`)), sql`before`, sql`after`])
  const lists = [
    ...column.key.map((_, n) => changes.map(({ key }) => key[n])),
    changes.map(({ before }) => before),
    changes.map(({ after }) => after),
  ]
  await sql`
    update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${set}
    from unnest(${sql.join(lists.map((list) => sql`${list}::text[]`))}) as swapped (${names})
    where ${sql.join(sameRow, sql` and `)} and ${sealedIn(column)} = swapped.before`.execute(db)
}

const at = ({ table, column }: SealedColumn) => sql.ref(`${table}.${column}`)

const sealedIn = (column: SealedColumn): RawBuilder<unknown> =>
  column.member === undefined ? at(column) : sql`${at(column)} ->> ${column.member}`
