import pg from 'pg'
import { privatePostgres, replicaOf } from '../../../test-kit/private-postgres.ts'
import { until } from '../../../test-kit/until.ts'
import { switchProxy } from './switch-proxy.ts'

export type FailingPair = {
  /** Leads to the primary, and after a failover to the replica. */
  url: string
  /** Returns when the replica knows all that the primary knows. */
  caughtUp(): Promise<void>
  /** From here on the replica hears of nothing. */
  part(): void
  /** The primary is gone without a word, and with it what the replica has not heard of. */
  failOver(): Promise<void>
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
  remove(): Promise<void>
}

/** A primary and a replica that follows it in its own time. */
export async function failingPair(): Promise<FailingPair> {
  const primary = await privatePostgres()
  await primary.start()
  // The replica's own way to the primary, so that it can be cut.
  const behind = await switchProxy(primary.port)
  const replica = await replicaOf(behind.port)
  await replica.start()
  const front = await switchProxy(primary.port)
  const url = `postgres://postgres@127.0.0.1:${front.port}/postgres`
  const query = async <Row>(at: string, text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: at })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, values)).rows as Row[]
    } finally {
      await client.end().catch(() => {})
    }
  }
  return {
    url,
    async caughtUp() {
      const [now] = await query<{ at: string }>(primary.url, 'select pg_current_wal_flush_lsn()::text as at')
      const text = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as there'
      await until('the replica has caught up', 60_000, async () =>
        (await query<{ there: boolean }>(replica.url, text, [now?.at]))[0]?.there ? true : undefined,
      )
    },
    part: () => behind.lead(undefined),
    async failOver() {
      front.lead(undefined)
      await primary.stop('SIGKILL')
      await query(replica.url, 'select pg_promote(true, 60)')
      front.lead(replica.port)
    },
    query: (text, values) => query(url, text, values),
    async remove() {
      front.close()
      behind.close()
      await primary.remove()
      await replica.remove()
    },
  }
}
