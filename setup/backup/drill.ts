import { run } from '../argv.ts'
import { databaseOf } from '../execute/cluster.ts'
import { USER } from '../paths.ts'
import { openBackup, restoreInto } from './bring-back.ts'

const SCRATCH = `${USER}_drill`
const TABLES = "from pg_tables where schemaname not in ('pg_catalog', 'information_schema')"
const COUNT = `query_to_xml(format('select count(*) as n from %I.%I', schemaname, tablename), false, true, '')`

type Drill = { ok: true; file: string; of: string; tables: number; rows: number }

/** Restores a backup into a database that nobody uses, counts what is there, and removes it again. */
export async function drill(file: string, passphrase: string): Promise<Drill> {
  const { folder, manifest, remove } = await openBackup(file, passphrase)
  try {
    const into = await restoreInto(SCRATCH, folder)
    const asked = async (what: string) =>
      Number(
        await run(['psql', '--no-align', '--tuples-only', '--command', `select ${what} ${TABLES}`, into], { as: USER }),
      )
    const tables = await asked('count(*)')
    const rows = await asked(`coalesce(sum((xpath('/row/n/text()', ${COUNT}))[1]::text::bigint), 0)`)
    if (tables === 0 || rows === 0) throw new Error(`${file} was restored, and there is nothing in it.`)
    return { ok: true, file, of: manifest.at, tables, rows }
  } finally {
    remove()
    const { port } = databaseOf()
    if (port !== null) await run(['dropdb', '--port', port, '--force', '--if-exists', SCRATCH], { as: 'postgres' })
  }
}
