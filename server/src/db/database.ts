import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Asked } from './identity.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>
export type Tx = Transaction<Tables>
/** What a store takes: it does not mind whether it runs inside a transaction. */
export type Queryable = Database | Tx

/** Statement names known so far. Bounded: a query text beyond it is simply not prepared. */
const names = new Map<string, string>()
const MOST_NAMES = 500

/** Gives every parameterised query a name, so that PostgreSQL parses and plans it once per connection. */
class NamingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg's query has a dozen overloads and all of them pass through here
  override query(first: any, values?: any, callback?: any): any {
    if (typeof first === 'string' && Array.isArray(values) && values.length > 0) {
      const name = nameOf(first)
      if (name) return super.query({ name, text: first, values } as pg.QueryConfig, callback)
    }
    return super.query(first, values, callback)
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= MOST_NAMES) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

export type OpenDatabase = { db: Database; pool: pg.Pool; close(): Promise<void> }

type Options = {
  url: string
  connections: number
  onError(error: Error): void
  /** Before the first use of a new connection; what it rejects with, its first user is told. */
  onConnect?: ((connection: Asked) => Promise<unknown>) | undefined
}

/**
 * A process that is stopped in the middle of a transaction, or loses its machine, must not keep its locks for longer than it takes to be
 * declared dead: whoever takes over would wait for them.
 */
const SILENT_TRANSACTION_MS = 10_000

export function openDatabase(options: Options): OpenDatabase {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: 3000,
    idleTimeoutMillis: 5000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
    keepAlive: true,
    application_name: 'slipway',
    // Pages come from memory or an SSD. With the default, made for turning disks, PostgreSQL looks for the newest rows of
    // a large organization among everybody's newest rows, and finds those of one that became quiet only at the far end.
    options: '-c random_page_cost=1.1',
    Client: NamingClient,
    onConnect: options.onConnect,
  } as pg.PoolConfig)
  // Without a listener an idle connection that dies would end the process.
  pool.on('error', options.onError)
  // The same for one that dies between two queries of a transaction; the next query says so.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  return { db, pool, close: () => db.destroy() }
}

export const transaction = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work)
