import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGitHost } from '../lab/githost/start.ts'
import { readConfig } from '../server/src/config.ts'
import { pollHeads } from '../server/src/core/githost/push/poll.ts'
import { createLogger, wire } from '../server/src/process/wiring.ts'
import { createDatabase, type TestDatabase } from '../test-kit/database.ts'
import { SECRET_KEY } from '../test-kit/server-process.ts'
import { size } from './ledger/sizes.ts'
import { fill } from './parts/githost-scale/fill.ts'
import { slowestStatements, watchStatements } from './parts/githost-scale/statements.ts'

export const claim =
  '100,000 branches of 20,000 installations are polled with few requests, by processes that never do the same'
export const kind = 'figure'
export const quick = false

const INSTALLATIONS = size('SLIPWAY_GITHOST_INSTALLATIONS', 20_000)
const SECONDS = size('SLIPWAY_GITHOST_SECONDS', 1800)
const EACH = 5
const LARGE = size('SLIPWAY_GITHOST_LARGE', 2000)
const SILENT = 0.05
const PROCESSES = 3
/** Until everybody's time is spread, as after a start: it is not judged. */
const WARM_SECONDS = SECONDS / 2
/** For 20,000 installations; with the tokens that their hour costs. */
const BAR = { lists: 40, share: 0.1, statementMs: 20, growthMb: 200 }
/** In an hour, of an installation of this size; a list of a hundred heads is one. */
const POINTS = 12_500
const isPartial = INSTALLATIONS < 20_000 || SECONDS < 1800 || LARGE < 2000

export async function prove(): Promise<{ ok: boolean; figure: string; partial?: true }> {
  const dir = mkdtempSync(join(tmpdir(), 'sw-scale-'))
  const host = await startGitHost({ dir })
  const database = await createDatabase({ migrated: true })
  const statements = watchStatements()
  const processes = Array.from({ length: PROCESSES }, () => openParts(database, host, statements.watch))
  try {
    host.do.limits({ primary: 5000, secondary: false })
    const large = await fill(database, host, dir, {
      installations: INSTALLATIONS,
      each: EACH,
      large: LARGE,
      silentShare: SILENT,
    })
    await spread(database)
    console.log(`  ${INSTALLATIONS * EACH + LARGE} heads of ${INSTALLATIONS + 1} installations are there`)
    const seen = await simulate(database, host, processes, large)
    const share = (seen.largeLists * 3600) / POINTS
    // Everything is due: as bad as it gets for those that look for it.
    await database.pool.query(
      `update githost_head set poll_at = poll_at - interval '1 hour', polled_at = null, poller = null`,
    )
    await database.pool.query('vacuum analyze githost_head')
    const slowest = await slowestStatements(database, statements.samples())
    const scale = INSTALLATIONS / 20_000
    const ok =
      seen.lists <= BAR.lists * scale + LARGE / 6000 &&
      share < BAR.share &&
      slowest.ms < BAR.statementMs &&
      seen.twice === 0 &&
      seen.growthMb < BAR.growthMb
    const figure = [
      `${seen.lists.toFixed(1)} lists/s in the time of the instance (bar ${BAR.lists} for 20,000 installations), and ${seen.tokens.toFixed(1)} tokens/s`,
      `an installation with ${LARGE} repositories and no webhook uses ${(share * 100).toFixed(1)} % of its limit (bar 10 %)`,
      `slowest statement ${slowest.ms.toFixed(1)} ms (bar ${BAR.statementMs} ms)${slowest.ms < BAR.statementMs ? '' : `: ${slowest.text}`}`,
      `${seen.twice} heads polled by two of ${PROCESSES} processes in one round`,
      `memory grew by ${Math.round(seen.growthMb)} MB in the second half, the lab's host included`,
    ].join('; ')
    return { ok, figure, ...(isPartial && { partial: true }) }
  } finally {
    for (const { close } of processes) await close()
    await database.drop()
    await host.stop()
  }
}

/** The parts of one process: a pool and tokens of its own. */
function openParts(
  database: TestDatabase,
  host: Awaited<ReturnType<typeof startGitHost>>,
  watch: (pool: never) => void,
) {
  const config = readConfig({
    SLIPWAY_DATABASE_URL: database.url,
    SLIPWAY_SECRET_KEY: SECRET_KEY,
    SLIPWAY_DATA_DIR: mkdtempSync(join(tmpdir(), 'sw-scale-data-')),
    SLIPWAY_ACME_DIRECTORY: 'off',
    SLIPWAY_GITHOST_URL: host.url,
    SLIPWAY_GIT_CA_FILE: host.caFile,
    SLIPWAY_ALLOWED_NETWORKS: '127.0.0.0/8',
  })
  const { platform, close } = wire(config, createLogger('silent'))
  watch(platform.pool as never)
  return { platform, close }
}

/** As it is after hours: those of one organization together, everybody at another time. */
async function spread({ pool }: TestDatabase): Promise<void> {
  await pool.query(`update githost_head h set poll_every = every, poll_at = now() + o.part * every * interval '1 second'
    from (select l.org_id, random() as part, case when a.heard_at is null then 60 else 900 end as every
      from githost_link l join githost_app a on a.id = l.app) o where o.org_id = h.org_id`)
}

type Parts = ReturnType<typeof openParts>

/** The clock of the instance goes on by a second in each round, however long that takes. */
async function simulate(
  { pool }: TestDatabase,
  host: Awaited<ReturnType<typeof startGitHost>>,
  processes: Parts[],
  large: string,
) {
  const start = Date.now()
  const signal = AbortSignal.timeout(60 * 60_000)
  let [lists, twice, tokens, rss, largeLists] = [0, 0, 0, 0, 0]
  for (let second = 0; second < SECONDS; second++) {
    const now = new Date(start + second * 1000)
    if (second === WARM_SECONDS) {
      ;[lists, tokens, largeLists, rss] = [0, 0, 0, process.memoryUsage.rss()]
      host.do.requests()
    }
    const rounds = await Promise.all(
      processes.map(({ platform }, n) => pollHeads(platform, { now, poller: `process ${n}`, signal })),
    )
    const polled = rounds.reduce((sum, one) => sum + one.heads, 0)
    lists += rounds.reduce((sum, one) => sum + one.lists, 0)
    const { rows } = await pool.query(
      'select count(*) as n, count(*) filter (where org_id = $2) as large from githost_head where polled_at = $1',
      [now, large],
    )
    twice += polled - Number(rows[0].n)
    largeLists += Math.ceil(Number(rows[0].large) / 100)
    if (second % 60 === 59)
      tokens += host.do.requests().filter((one) => JSON.stringify(one).includes('access_tokens')).length
    if (second % 300 === 0) console.log(`  ${second} s: ${polled} heads in this one, ${lists} lists so far`)
  }
  const measured = SECONDS - WARM_SECONDS
  const growthMb = (process.memoryUsage.rss() - rss) / 1024 / 1024
  return { lists: lists / measured, tokens: tokens / measured, twice, growthMb, largeLists: largeLists / measured }
}
