import type { Pool } from '../../src/db/statement.ts'

type Column = { type: string; notNull: boolean; filled: boolean }
/** `columns`: those a rule is about; `where`: the condition of a partial index. */
type Rule = { text: string; columns: string[]; where: string }
type Table = { columns: Map<string, Column>; rules: Map<string, Rule> }
export type Catalog = Map<string, Table>

/** What the database enforces on each table, by its own account. */
export async function readCatalog(pool: Pool): Promise<Catalog> {
  const columns = await pool.query<{ table: string; name: string } & Column>(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull",
      a.atthasdef or a.attidentity <> '' as filled
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`)
  const names = (keys: string) =>
    `array(select attname::text from pg_attribute where attrelid = c.oid and attnum = any(${keys}) order by attnum)`
  const rules = await pool.query<{ table: string } & Rule>(`
    select c.relname as "table", pg_get_constraintdef(k.oid) as text, ${names('k.conkey')} as columns, '' as "where"
    from pg_class c join pg_constraint k on k.conrelid = c.oid where c.relnamespace = 'public'::regnamespace
    union all
    select c.relname, regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \\S+ ', 'INDEX '), ${names('i.indkey')},
      coalesce(pg_get_expr(i.indpred, i.indrelid), '')
    from pg_class c join pg_index i on i.indrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and i.indisunique
      and not exists (select 1 from pg_constraint where conindid = i.indexrelid)
    union all
    select c.relname, 'TRIGGER ' || t.tgname, '{}', '' from pg_class c join pg_trigger t on t.tgrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal`)
  const catalog: Catalog = new Map()
  const tableOf = (name: string): Table => {
    const table = catalog.get(name) ?? { columns: new Map(), rules: new Map() }
    catalog.set(name, table)
    return table
  }
  for (const { table, name, ...column } of columns.rows) tableOf(table).columns.set(name, column)
  for (const { table, ...rule } of rules.rows) tableOf(table).rules.set(rule.text, rule)
  return catalog
}

/**
 * What a build that was made for `before` could trip over in `after`. An allowlist by its shape: a new table, a new column
 * that may be left out, and a rule about nothing but new columns are fine, whatever else changes is not.
 */
export function contractions(before: Catalog, after: Catalog): string[] {
  return [...before].flatMap(([name, old]) => {
    const now = after.get(name)
    return now ? inTable(name, old, now) : [`drops or renames the table ${name}`]
  })
}

function inTable(name: string, old: Table, now: Table): string[] {
  const isNew = (column: string) => !old.columns.has(column)
  const kept = [...old.columns].flatMap(([column, was]) => {
    const is = now.columns.get(column)
    const where = `${name}.${column}`
    if (!is) return [`drops or renames ${where}`]
    return [
      ...(is.type === was.type ? [] : [`changes the type of ${where}`]),
      ...(is.notNull && !was.notNull ? [`forbids null in ${where}`] : []),
      ...(is.notNull && was.filled && !is.filled ? [`takes the default from ${where}`] : []),
    ]
  })
  const added = [...now.columns].filter(([column, is]) => isNew(column) && is.notNull && !is.filled)
  const rules = [...now.rules.values()].filter(
    ({ text, columns, where }) =>
      !old.rules.has(text) && !(columns.length > 0 && columns.every(isNew)) && !about(where),
  )
  /** Rows of older builds are not in an index whose condition is about a column that they do not know. */
  function about(where: string): boolean {
    return [...now.columns.keys()].some((column) => isNew(column) && new RegExp(`\\b${column}\\b`).test(where))
  }
  return [
    ...kept,
    ...added.map(([column]) => `needs ${name}.${column}, which older builds do not write`),
    ...rules.map(({ text }) => `forbids in ${name} what may be there: ${text}`),
  ]
}
