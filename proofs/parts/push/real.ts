import type { TestDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'
import { type Followed, follow, type Stage } from './follow.ts'

const PUSHES = 5
const DEADLINE_MS = 20 * 60_000

/** The same with containers: after some pushes, of which deliveries are lost, visitors get what was pushed last. */
export async function deployForReal(stage: Stage, count: number): Promise<{ faults: string[]; figure: string }> {
  const { site, host } = stage
  const { pool } = site.database as TestDatabase
  const all = await follow(stage, 'real', count, { 'index.html': 'version 0' })
  host.do.seed({ seed: 12 })
  host.do.faults({ deliveries: { lose: 0.2, duplicate: 0.1, reorder: 0.1, badSignature: 0, delayMs: 1500 } })
  const began = Date.now()
  for (let n = 1; n <= PUSHES; n++) {
    for (const { full } of all) await host.do.push({ full, path: 'index.html', content: `version ${n}` })
    await new Promise((done) => setTimeout(done, 3000))
  }
  await host.do.delivered()
  host.do.clearFaults()
  const isNewest = async ({ name }: Followed) =>
    (await site.visit(name).catch(() => undefined))?.text.trim() === `version ${PUSHES}`
  const left = new Set(all)
  await until('visitors get what was pushed last', DEADLINE_MS, async () => {
    for (const one of left) if (await isNewest(one)) left.delete(one)
    return left.size === 0
  }).catch(() => {})
  const tookS = Math.round((Date.now() - began) / 1000)
  const { rows } = await pool.query<{ n: string }>(
    `select count(*) as n from deployment where trigger = 'push' and project_id = any($1)`,
    [all.map(({ projectId }) => projectId)],
  )
  const faults = [...left].map(({ name }) => `${name}: visitors do not get what was pushed last`)
  const figure = `${count - left.size} of ${count} projects with containers served the newest of ${PUSHES} pushes after ${tookS} s, by ${rows[0]?.n} deployments`
  return { faults, figure }
}
