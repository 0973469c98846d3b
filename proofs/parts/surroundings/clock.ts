import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../../lab/package-sets.ts'
import { needPackages } from '../../../lab/parts/packages.ts'
import { openDatabase } from '../../../server/src/db/database.ts'
import { privatePostgres } from '../../../test-kit/private-postgres.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { type Bench, webApp } from '../faults/bench.ts'
import { runRow } from '../faults/run-rows.ts'
import { onSite, type Story } from './story.ts'

const HOUR = 3600
const JUMPS = {
  'an hour ahead': HOUR,
  'an hour back': -HOUR,
  '400 days ahead': 9600 * HOUR,
  '400 days back': -9600 * HOUR,
}

/** Where the library leaves what it shares with children, when its program is killed. */
const SHARED = '/dev/shm'

/** A clock that a program believes in, and that can be set while it runs. Time goes on as it does; only the date jumps. */
async function clock() {
  await needPackages('clock')
  const folder = mkdtempSync(join(tmpdir(), 'sw-clock-'))
  // PostgreSQL runs as somebody else.
  chmodSync(folder, 0o755)
  const file = join(folder, 'offset')
  const root = packageRoot('clock')
  const library = readdirSync(root, { recursive: true }).find((name) => String(name).endsWith('libfaketimeMT.so.1'))
  if (library === undefined) throw new Error(`there is no libfaketime in ${root}`)
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`)
  set(0)
  return {
    set,
    env: {
      LD_PRELOAD: join(root, String(library)),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    close() {
      rmSync(folder, { recursive: true, force: true })
      for (const name of readdirSync(SHARED)) {
        const [, pid] = /^(?:sem\.)?faketime_\w+_(\d+)$/.exec(name) ?? []
        if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED, name), { force: true })
      }
    },
  }
}

type Clock = Awaited<ReturnType<typeof clock>>
/** `fence`: how often the run may have begun. Leases end by the database's clock; nothing may be lost by that. */
type Jump = { seconds: number; fence: number }

/** A deployment that the jump meets while it builds, and one that begins afterwards, with the clock as it is then. */
async function through({ steady, pool }: Bench, site: Site, { set }: Clock, jump: Jump): Promise<string[]> {
  // What ends by the calendar ends, rightly.
  await pool.query('update token set expires_at = null')
  const id = await site.deploy(steady, webApp(2, { bootMs: 3000 }))
  await until('it is built', 60_000, async () => (await site.show(id)).status === 'building')
  set(jump.seconds)
  const first = await site.ended(id, 240)
  const fence = (await runRow(pool, id))?.fence
  const second = await site.ended(await site.deploy(steady, webApp(3)), 240)
  const words = [first, second].flatMap(({ status, error }) =>
    status === 'ready' ? [] : [`a deployment is ${status}: ${JSON.stringify(error)}`],
  )
  return [...words, ...(Number(fence) <= jump.fence ? [] : [`its run was taken from a process that lives: ${fence}`])]
}

const ofInstance = (words: string, seconds: number): Story => ({
  name: `the clock of the instance jumps ${words} in the middle of a build`,
  async run() {
    const time = await clock()
    try {
      return await onSite({ name: 'clock', env: time.env }, (bench, site) =>
        through(bench, site, time, { seconds, fence: 1 }),
      )
    } finally {
      time.close()
    }
  },
})

const ofDatabase = (words: string, seconds: number): Story => ({
  name: `the clock of PostgreSQL jumps ${words} in the middle of a build`,
  async run() {
    const time = await clock()
    const postgres = await privatePostgres({ env: time.env })
    await postgres.start()
    const { pool, close } = openDatabase({ url: postgres.url, connections: 4, onError: () => {} })
    try {
      const jump = { seconds, fence: seconds > 0 ? 2 : 1 }
      const work = (bench: Bench, site: Site) => through(bench, site, time, jump)
      return await onSite({ name: 'pgclock', databaseUrl: postgres.url, pool }, work)
    } finally {
      await close()
      await postgres.remove()
      time.close()
    }
  },
})

export const clockStories: Story[] = Object.entries(JUMPS).flatMap(([words, seconds]) => [
  ofInstance(words, seconds),
  ofDatabase(words, seconds),
])
