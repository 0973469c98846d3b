import type { Deployment } from '@slipway/contract/deployment-shape'
import { engineAt } from '../test-kit/engine.ts'
import type { Site } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { type Outage, watchOutage } from './parts/compose-load/outage.ts'
import { over, race, settledOrAsked } from './parts/stack/decision.ts'
import { newStack, openGround, type Stack } from './parts/stack/ground.ts'
import { onEngine } from './parts/stack/look.ts'
import { tryMounts } from './parts/stack/mounts.ts'

export const claim =
  'what services have written outlives redeploys, a rollback, a reject, a restart, and, unless said otherwise, their project'
export const kind = 'story'
export const quick = false

/** For how long a service was out: as a visitor found, and as the deployment told; null where none tells it. */
type Gap = { told: number | null; seen: number }
/** How much less than a visitor found may be told: what passes until somebody looks. */
const SHORT_MS = 1000
/** No container of it stops and starts again within this. */
const LEAST_MS = 300

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openGround('volumes')
  try {
    const stack = await newStack(site, 'one')
    const wrong: string[] = []
    const note = (what: string, found: string[]) => {
      console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
      for (const each of found) console.log(`         ${each}`)
      wrong.push(...found)
    }
    const gaps = await theData(stack, note)
    note('files mounted from the source', await tryMounts(site))
    note('a project that is deleted', await deletions(site, stack))
    const worst = (of: keyof Gap) => (Math.max(...gaps.map((gap) => gap[of] ?? 0)) / 1000).toFixed(1)
    const gap = `replaced stop-first ${gaps.length} times, each time looked at: out for ${worst('seen')} s at most from outside, ${worst('told')} s as the deployments told`
    const figure = `what a database wrote was all there after a redeploy, a rollback, a reject and a restart (${gap}); mounted files arrived, newer ones with the next deployment, and what was written beside them stayed; a deleted project keeps its volumes unless said otherwise; ${wrong.length} faults`
    return { ok: wrong.length === 0, figure }
  } finally {
    await site.close()
  }
}

type Note = (what: string, wrong: string[]) => void

/** `db` writes down each of its starts: all of them are there, in their order, whatever happens to it. */
async function theData(stack: Stack, note: Note): Promise<Gap[]> {
  const { site } = stack
  const gaps: Gap[] = []
  const first = await ready(site, await stack.deploy({ version: 'v1' }))
  note('the first release', await differs(stack, ['v1']))
  const watch = watchOutage({ address: site.engine.address, port: site.httpPort }, stack.hostOf('db'))
  const replaced = async (what: string, versions: string[], work: () => Promise<string | undefined>) => {
    const gap = await gapOf(stack, watch, work)
    gaps.push(gap)
    console.log(
      `  ${what}: db was out for ${gap.seen} ms from outside, ${gap.told ?? 'nobody tells how many'} ms as told`,
    )
    note(what, [...misjudged(gap), ...(await differs(stack, versions))])
  }
  try {
    await replaced(
      'a redeploy',
      ['v1', 'v2'],
      async () => (await ready(site, await stack.deploy({ version: 'v2' }))).id,
    )

    let rolledBack = ''
    await replaced('a rollback', ['v1', 'v2', 'v1'], async () => {
      const back = await site.ask('POST', `/api/deployments/${first.id}/rollback`)
      rolledBack = (await ready(site, back.deployment_id)).id
      return rolledBack
    })

    const id = await stack.deploy({ version: 'v3', faults: { web: 'start' } })
    await replaced('a partial failure', ['v1', 'v2', 'v1', 'v3'], async () => {
      const asked = await settledOrAsked(site, id)
      if (asked.decision !== 'pending') throw new Error(`it is ${asked.status}: ${JSON.stringify(asked.error)}`)
      return id
    })
    await replaced('a reject', ['v1', 'v2', 'v1', 'v3', 'v1'], async () => {
      await race(stack, id, ['reject'])
      await over(site, id)
      return undefined
    })
    await replaced('a restart', ['v1', 'v2', 'v1', 'v3', 'v1', 'v1'], async () => {
      await restarted(stack, rolledBack)
      return undefined
    })
  } finally {
    watch.stop()
  }
  return gaps
}

/** One writer at a time: whatever replaces it stops it first. */
function misjudged({ told, seen }: Gap): string[] {
  if (seen < LEAST_MS) return [`a visitor missed no answer for more than ${seen} ms: was there a second writer?`]
  if (told === 0) return ['no interruption was told']
  if (told === null || told + SHORT_MS >= seen) return []
  return [`${told} ms without an answer were told, and ${seen} ms it were`]
}

async function ready(site: Site, id: string): Promise<Deployment> {
  const seen = await over(site, id, 300)
  if (seen.status !== 'ready') throw new Error(`it is ${seen.status}: ${JSON.stringify(seen.error)}`)
  return seen
}

/** For how long `db` did not answer during `work`, which says which deployment tells it. */
async function gapOf({ site }: Stack, watch: Outage, work: () => Promise<string | undefined>): Promise<Gap> {
  await watch.take()
  const id = await work()
  const { longestMs: seen } = await watch.take()
  if (id === undefined) return { told: null, seen }
  const said = `select max((data ->> 'interruptedMs')::float8) as ms from deployment_event
    where deployment_id = $1 and data ->> 'service' = 'db'`
  return { told: Number((await site.database?.pool.query(said, [id]))?.rows[0]?.ms ?? 0), seen }
}

async function restarted(stack: Stack, active: string): Promise<void> {
  const before = await onEngine(stack)
  await stack.site.ask('POST', `/api/deployments/${active}/restart`)
  await until(
    'all restarted',
    240_000,
    async () => {
      const { services } = await stack.site.show(active)
      const now = await onEngine(stack)
      const anew = Object.keys(before).filter((name) => before[name]?.tasks.length === 1)
      const all = anew.every((name) => now[name]?.tasks.length === 1 && now[name].tasks[0] !== before[name]?.tasks[0])
      return all && services.every(({ status }) => status === 'healthy')
    },
    { everyMs: 300 },
  )
}

async function differs(stack: Stack, versions: string[]): Promise<string[]> {
  const wanted = versions.map((version) => `db ${version}`)
  let seen: string[] = []
  const look = async () => {
    const { status, text } = await stack.visit('db', '/data/starts')
    seen = status === 200 ? text.split('\n').filter((line) => line !== '') : [`${status}`]
    return seen.join() === wanted.join()
  }
  const right = await until('as it should be', 15_000, () => look().catch(() => false), { everyMs: 300 }).catch(
    () => false,
  )
  const firstOne = (await stack.visit('db', '/data/first').catch(() => undefined))?.text.trim()
  return right && firstOne === wanted[0] ? [] : [`${seen.join()} instead of ${wanted.join()}, first of all ${firstOne}`]
}

/** Volumes stay when their project goes; with `?volumes=delete` they go as well. */
async function deletions(site: Site, { project }: Stack): Promise<string[]> {
  const wrong: string[] = []
  const other = await newStack(site, 'two')
  await ready(site, await other.deploy({ version: 'v1', only: ['db'] }))
  for (const [id, query, left] of [
    [project, '', 1],
    [other.project, '?volumes=delete', 0],
  ] as const) {
    const { data } = await site.ask<{ data: Deployment[] }>('GET', `/api/deployments?projectId=${id}&limit=20`)
    for (const { id: active } of data.filter(({ active }) => active))
      await site.ask('DELETE', `/api/deployments/${active}?force=true`)
    // Also when no deployment is left that would say where they are.
    const listed = (await site.ask('GET', `/api/projects/${id}/volumes`)).data.length
    if (listed !== 1 || (await volumesOf(site, id)) !== 1) wrong.push(`${listed} volumes are listed, not 1`)
    await site.ask('DELETE', `/api/projects/${id}${query}`)
    await until('all of it has gone', 90_000, () => forgotten(site, id), { everyMs: 300 }).catch((error: Error) =>
      wrong.push(error.message),
    )
    const stayed = await volumesOf(site, id)
    if (stayed !== left) wrong.push(`after DELETE${query} ${stayed} volumes are there, not ${left}`)
  }
  return wrong
}

const filtersOf = (project: string) => ({ label: [`slipway.project=${project}`] })
/** Whatever comes after the deletion of a project has ended. */
async function forgotten(site: Site, project: string): Promise<boolean> {
  const asked = "select status from run where lane = $1 and kind = 'forget'"
  const rows = (await site.database?.pool.query(asked, [project]))?.rows ?? []
  if (rows.some(({ status }) => status === 'failed')) throw new Error('what a deleted project had could not be removed')
  const services = await engineAt(site.engine.socket).listServices({ filters: filtersOf(project) })
  return rows.every(({ status }) => status === 'succeeded') && services.length === 0
}
const volumesOf = async (site: Site, project: string) =>
  (await engineAt(site.engine.socket).listVolumes({ filters: JSON.stringify(filtersOf(project)) })).Volumes.length
