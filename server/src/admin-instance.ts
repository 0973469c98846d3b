import { adoptInstance } from './core/instance/adopt.ts'
import * as store from './core/instance/store.ts'
import type { Platform } from './core/platform.ts'
import { openEngineTarget } from './core/servers/open-engine-target.ts'
import * as servers from './core/servers/store.ts'
import { isSameDatabase, readIdentity } from './db/identity.ts'

const TAKE_MS = 60_000

const say = (...lines: string[]) => void process.stdout.write(`${lines.join('\n')}\n`)

/** What an operator wants to know before deciding whether to adopt. */
export async function showInstance({ db, pool, dataDir }: Platform): Promise<void> {
  const [row, now] = [await store.find(db), await readIdentity(pool)]
  const mark = await dataDir.readMark()
  const home = row && isSameDatabase(row.database, now.database)
  say(
    `instance        ${row?.id ?? 'none yet: the first start makes it'}`,
    `database        ${now.database}${home === false ? `, not where the instance has been: ${row?.database}` : ''}`,
    `data directory  ${dataDir.path}, ${mark === null ? 'without a mark' : `of ${mark.instance}`}`,
    `went back       ${row?.wentBackAt?.toISOString() ?? 'never'}`,
  )
}

/** Whoever can read the configuration can do this; it asks nothing, because nobody runs it by accident. */
export async function adopt(platform: Platform, asNew: boolean): Promise<void> {
  const { id, was } = await adoptInstance(platform, await readIdentity(platform.pool), { asNew })
  const { path } = platform.dataDir
  if (asNew) {
    return say(
      `This database is the instance ${id} now. Servers that serve the other one will refuse it.`,
      `Give it a data directory of its own: ${path} was left as it is${was.directory ? `, of ${was.directory}` : ''}.`,
      'If that is a copy, made for this instance, run `slipway-server admin instance adopt` once more to take it over.',
    )
  }
  say(
    `Database and data directory are the instance ${id} now; start it.`,
    `Make sure that no process works on the database it had before (${was.database}).`,
    'Its servers are compared with what this database says, and put right. What it does not name, on servers and in',
    `${path}, stays for a day and is deleted then: until that it can still be restored to a later moment.`,
  )
}

/** The instance that has its engine is gone for good: nobody else will ever say so. */
export async function adoptServer({ db, keys, config, runtime }: Platform, id: string): Promise<void> {
  const server = await servers.anywhere(db, id)
  if (!server) throw new Error(`There is no server ${id}. Its id is in the list of servers, and begins with srv_.`)
  const signal = AbortSignal.timeout(TAKE_MS)
  const engine = openEngineTarget({ keys, config }, server)
  const { foreign } = await runtime.owner.read(engine, { signal })
  await runtime.owner.seize(engine, server.orgId, { signal })
  say(
    `The server ${server.name} serves this instance now${foreign ? `, and no longer ${foreign}` : ''}.`,
    'What runs there and is not of this instance is collected within hours; volumes stay.',
  )
}
