import { control } from './parts/githost-routes/control.ts'
import { deviceFlow, manifestFlow, terminalFlow, webFlow } from './parts/githost-routes/flows.ts'
import { installationLife } from './parts/githost-routes/life.ts'
import { listing } from './parts/githost-routes/listing.ts'
import { matrix, ROUTES } from './parts/githost-routes/matrix.ts'
import { openStage, type Stage } from './parts/githost-routes/stage.ts'
import { truthTable } from './parts/githost-routes/table.ts'
import { watchTokens } from './parts/githost-routes/tokens.ts'

export const claim =
  'each route of the git host, by each source, answers as the tables say in each state of the host; every flow comes to its end, lists are quick, and no token is seen anywhere'
export const kind = 'story'
export const quick = false

const FEWEST = { cases: 120, routes: 19, cells: 56 }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const stage = await openStage()
  try {
    return await judge(stage)
  } finally {
    await stage.close()
  }
}

async function judge(stage: Stage): Promise<{ ok: boolean; figure: string }> {
  const { host, tally, first } = stage
  const shop = await host.do.repo({ full: 'acme/shop', private: true, files: { 'package.json': '{"name":"shop"}' } })
  const app = await stage.tenant('app@example.com')
  const oauth = await stage.tenant('oauth@example.com')
  const tenants = { app, oauth, cli: first }
  const tokens = watchTokens(stage, tenants)
  await part('an app of one’s own, by a manifest', () => manifestFlow(stage, app))
  await part('an account, in the browser', () => webFlow(stage, oauth))
  await part('gh, in a terminal', () => terminalFlow(stage, first))
  await part('an account, by a code', () => deviceFlow(stage))
  for (const one of Object.values(tenants)) await one.api('GET', '/api/githost/repos')
  await tokens.note()
  const seen = await part('routes, sources and states of the host', () => matrix(stage, tenants))
  const caught = await part('wrong answers that must be noticed', () => control(stage, app))
  await first.api('POST', '/api/projects', { name: 'reported', repository: `${host.url}/acme/shop.git` })
  await stage.database.pool.query(`update project set githost_repo_id = $1 where name = 'reported'`, [shop.id])
  await first.api('POST', '/api/githost/disconnect', { source: 'all' })
  const cells = await part('which source does what', () => truthTable(stage))
  await part('installations', () => installationLife(stage))
  const listed = await part('lists', () => listing(stage))
  await first.api('POST', '/api/githost/connect', { source: 'cli' })
  await first.api('GET', '/api/githost/repos')
  const last = await part('revoked', () => matrix(stage, tenants, 'last'))
  const found = await part('tokens', () => tokens.judge())
  for (const fault of found.faults) console.log(`  WRONG ${fault}`)
  const cases = seen.size + last.size
  const isWhole = cases >= FEWEST.cases && ROUTES.length === FEWEST.routes && cells === FEWEST.cells
  const isClean = tally.failed.length === 0 && found.faults.length === 0 && caught.missed === 0
  const figure = [
    `${tally.failed.length} of ${tally.cases} checks wrong`,
    `${cases} cases of ${ROUTES.length} routes by 3 sources (at least ${FEWEST.cases}), ${cells} cells of the table of sources`,
    `${caught.made - caught.missed} of ${caught.made} wrong answers noticed`,
    listed,
    found.figure,
  ].join('; ')
  return { ok: isWhole && isClean, figure }
}

async function part<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const done = await work()
  console.log(`  ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return done
}
