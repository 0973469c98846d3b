import type { Pool } from 'pg'
import type { RunningServer } from '../../../test-kit/built-server.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { type Bench, openBench } from './bench.ts'
import { pidOf, runRow } from './run-rows.ts'

export type Pair = Bench & ReturnType<typeof ofTwo>

/** Two processes of an instance, both answering and working. */
export async function openPair(site: Site, pool?: Pool): Promise<Pair> {
  for (const _ of [1, 2]) await site.start()
  await site.addLocalServer()
  const bench = await openBench(site, pool)
  return { ...bench, ...ofTwo(site, bench.pool) }
}

const lives = ({ child }: RunningServer) => child.exitCode === null && child.signalCode === null

function ofTwo(site: Site, pool: Pool) {
  return {
    living: () => site.replicas.filter(lives),
    /** The process that has the run in hand, and under which fence. */
    ownerOf: (id: string) =>
      until(`somebody has ${id} in hand`, 60_000, async () => {
        const row = await runRow(pool, id)
        const owner = row && site.replicas.find((replica) => replica.pid === pidOf(row))
        return row && owner && lives(owner) ? { owner, fence: row.fence } : undefined
      }),
    /** Makes them two again. */
    async complete() {
      while (site.replicas.filter(lives).length < 2) await site.start()
    },
  }
}

/** From now until another owner has claimed the run; null when it is over without one. */
export async function takeover(pair: Pair, id: string, fence: number, since: number): Promise<number | null> {
  return until(`another owner of ${id}`, 60_000, async () => {
    const row = await runRow(pair.pool, id)
    if (row && row.fence > fence) return { ms: performance.now() - since }
    return row && !['running', 'parked', 'queued'].includes(row.status) ? { ms: null } : undefined
  }).then(({ ms }) => ms)
}
