import type { Deployment } from '@slipway/contract/deployment-shape'
import type { TestDatabase } from '../../../test-kit/database.ts'
import type { Site } from '../../../test-kit/site.ts'
import { firstGap, readStream } from '../event-reader.ts'

/** `later`: images that are asked for when the first one's deployment has begun. */
export type Queued = { name: string; id: string; deployments: string[]; later: string[] }

/** When something of a run was going on, in milliseconds. */
export type Span = { began: number; ended: number }

/** Counts the runs that are going on, again and again: all of them, and those that share a project with another one. */
export function watchRuns({ pool }: Pick<TestDatabase, 'pool'>, everyMs: number) {
  const seen = { most: 0, looks: 0, together: 0 }
  const over = new AbortController()
  const look = async () => {
    const { rows } = await pool.query<{ n: string; lanes: string }>(
      `select count(*) as n, count(distinct lane) as lanes from run where status in ('running', 'parked')`,
    )
    const [{ n = '0', lanes = '0' } = {}] = rows
    seen.looks++
    seen.most = Math.max(seen.most, Number(n))
    if (n !== lanes) seen.together++
  }
  const loop = (async () => {
    while (!over.signal.aborted) {
      await look().catch(() => {})
      await new Promise((done) => setTimeout(done, everyMs))
    }
  })()
  return {
    seen,
    async stop() {
      over.abort()
      await loop
    },
  }
}

/** Deployments that have not begun, and all that have not come to their end. */
export async function unfinished({ pool }: Pick<TestDatabase, 'pool'>) {
  const { rows } = await pool.query<{ id: string; status: string }>(
    `select id, status from deployment where status in ('queued', 'building', 'deploying')`,
  )
  const ids = (all: typeof rows) => new Set(all.map(({ id }) => id))
  return { open: ids(rows), queued: ids(rows.filter(({ status }) => status === 'queued')) }
}

/** What is wrong with the three deployments of a project, and when each of them ran. */
export async function inspect(
  site: Site,
  project: Queued,
): Promise<{ faults: string[]; spans: Span[]; shown: Deployment[] }> {
  const shown = await Promise.all(project.deployments.map(site.show))
  const spans = await spansOf(site, project.deployments)
  const answer = await site.visit(project.name)
  const streams = await Promise.all(project.deployments.map((id) => readStream(site.base(), site.token, id)))
  const faults = [
    ...shown.flatMap(({ status, error }, n) =>
      fault(
        isRight(status, n === shown.length - 1),
        `number ${n + 1} ended as ${status}${error ? `: ${error.message}` : ''}`,
      ),
    ),
    ...shown.flatMap(({ status, steps }, n) =>
      fault(status !== 'superseded' || steps.length === 0, `number ${n + 1} was superseded after it had begun`),
    ),
    ...fault(shown.at(-1)?.active === true, 'the newest is not the active one'),
    ...fault(
      shown.every(({ number }, n) => number === n + 1),
      'the numbers are not in the order of asking',
    ),
    ...fault(answer.text.trim() === `version-${shown.length}`, `visitors get ${answer.status} ${answer.text.trim()}`),
    ...spans.flatMap(({ began }, n) =>
      fault(n === 0 || began >= (spans[n - 1]?.ended ?? 0), 'one began before its elder had ended'),
    ),
    ...streams.flatMap((events, n) => [
      ...fault(firstGap(events) === undefined, `the events of number ${n + 1} have a gap`),
      ...fault(
        events.at(-1)?.type === 'end' && events.at(-1)?.data.status === shown[n]?.status,
        `the events of number ${n + 1} do not end with its end`,
      ),
    ]),
  ]
  return { faults: faults.map((text) => `${project.name}: ${text}`), spans, shown }
}

const fault = (right: boolean, text: string) => (right ? [] : [text])
const isRight = (status: string, newest: boolean) => status === 'ready' || (!newest && status === 'superseded')

/** From the start of its first step to the end of its run, for those that ran. In the order of asking. */
async function spansOf({ database }: Site, ids: string[]): Promise<Span[]> {
  const { rows } = await (database as TestDatabase).pool.query<{ began: Date; ended: Date }>(
    `select (select min(s.started_at) from run_step s where s.run_id = r.id) as began, r.finished_at as ended
     from run r where r.id = any($1) and exists (select 1 from run_step s where s.run_id = r.id) order by r.position`,
    [ids],
  )
  return rows.map(({ began, ended }) => ({ began: began.getTime(), ended: ended.getTime() }))
}

/** How many were going on at the same time at most. */
export function mostAtOnce(spans: Span[]): number {
  const turns = spans.flatMap(({ began, ended }) => [
    { at: began, by: 1 },
    { at: ended, by: -1 },
  ])
  let now = 0
  return turns
    .sort((a, b) => a.at - b.at || a.by - b.by)
    .reduce((most, { by }) => {
      now += by
      return Math.max(most, now)
    }, 0)
}
