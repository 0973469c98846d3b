/** Which database this is, and how far its history goes. */
export type DatabaseIdentity = {
  /** Cluster, database and the table of the instance in it: a copy differs in one of them. `-` for what is not told. */
  database: string
  /** Another one after a replica was promoted, or a backup restored to a moment. */
  timeline: number | null
  /** Where the log that is safe on disk ends. It only grows, unless the disk is an older one. */
  flushed: bigint | null
}

type Row = { system: string | null; wal: string | null; flushed: string | null; database: string; table: string | null }
/** A connection, or whatever else answers a query. */
export type Asked = { query(text: string): Promise<{ rows: unknown[] }> }

const HERE = `(select oid::text from pg_database where datname = current_database()) as database,
  to_regclass('instance')::oid::text as "table"`
const SYSTEM = '(select system_identifier::text from pg_control_system()) as system'
const WAL = `pg_walfile_name(pg_current_wal_flush_lsn()) as wal,
  pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as flushed`
/** Any role may ask all of it from PostgreSQL itself; a managed service may keep some of it to itself. */
const TEXTS = [
  `select ${SYSTEM}, ${WAL}, ${HERE}`,
  `select null as system, ${WAL}, ${HERE}`,
  `select ${SYSTEM}, null as wal, null as flushed, ${HERE}`,
  `select null as system, null as wal, null as flushed, ${HERE}`,
]
/** Not allowed, not known, not supported. */
const WITHHELD = new Set(['42501', '42883', '0A000'])

/** The timeline is that of the log being written: the one in the control file follows only with the next checkpoint. */
export async function readIdentity(asked: Asked): Promise<DatabaseIdentity> {
  for (const [n, text] of TEXTS.entries()) {
    try {
      const [row] = (await asked.query(text)).rows as [Row]
      return {
        database: [row.system ?? '-', row.database, row.table ?? '-'].join('/'),
        timeline: row.wal === null ? null : Number.parseInt(row.wal.slice(0, 8), 16),
        flushed: row.flushed === null ? null : BigInt(row.flushed),
      }
    } catch (error) {
      if (n === TEXTS.length - 1 || !WITHHELD.has((error as { code?: string }).code ?? '')) throw error
    }
  }
  throw new Error('unreachable')
}

/** What is not told on either side contradicts nothing. */
export function isSameDatabase(a: string, b: string): boolean {
  const others = b.split('/')
  return a.split('/').every((part, n) => part === '-' || others[n] === '-' || part === others[n])
}

export type HistoryChange = 'another database' | 'another history'

/** What has happened to the database since it was seen as `before`; null: it has only gone on. */
export function historyChange(before: DatabaseIdentity, now: DatabaseIdentity): HistoryChange | null {
  if (!isSameDatabase(before.database, now.database)) return 'another database'
  const moved = before.timeline !== null && now.timeline !== null && before.timeline !== now.timeline
  const shorter = before.flushed !== null && now.flushed !== null && now.flushed < before.flushed
  return moved || shorter ? 'another history' : null
}
