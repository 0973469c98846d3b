import type { TestDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'
import { ascending } from '../push/watch.ts'
import type { Ground } from './ground.ts'
import type { Sent } from './storm.ts'

type Row = {
  guid: string
  repo_id: string
  after: string
  seq: string | null
  decision: string
  taken: Date
  decided: Date | null
}
/** Deployed, part of a newer one that was, or of a project that does not deploy by itself. */
const MEANT = new Set(['deployed', 'coalesced', 'skipped'])
const SETTLE_MS = 120_000

/** What the instance has made of what was sent: each delivery one row, one decision, part of one move; each head at its end. */
export async function judge({ cloud, own }: Ground, sent: Sent[]) {
  const [here, there] = [(own.database as TestDatabase).pool, (cloud.database as TestDatabase).pool]
  const count = async (text: string, pool = here) =>
    Number((await pool.query(`select count(*) as n from (${text}) x`)).rows[0].n)
  await until('everything is decided', SETTLE_MS, async () => {
    const decided = await count(
      `select 1 from githost_delivery where hook_key like 'cloud:%' and decided_at is not null`,
    )
    return decided >= sent.length || undefined
  }).catch(() => {})
  const { rows } = await here.query<Row>(
    `select split_part(guid, ':', 1) as guid, repo_id, after, seq, decision, received_at as taken, decided_at as decided from githost_delivery
     where hook_key like 'cloud:%'`,
  )
  const byGuid = Map.groupBy(rows, ({ guid }) => guid)
  const known = new Set(sent.map(({ guid }) => guid))
  const waits = (until: 'taken' | 'decided') =>
    sent.map(({ guid, at }) => {
      const end = byGuid.get(guid)?.[0]?.[until]
      return end ? Math.max(0, end.getTime() - at) : Number.POSITIVE_INFINITY
    })
  const { rows: links } = await here.query('select relay_seen from cloud_link')
  const { rows: relayed } = await there.query('select relayed from instance_link')
  const facts = {
    lost: sent.filter(({ guid }) => !byGuid.has(guid)).length,
    undecided: rows.filter(({ decided }) => decided === null).length,
    twice: [...byGuid.values()].filter((all) => all.length > 1).length,
    strange: rows.filter(({ guid }) => !known.has(guid)).length,
    otherwise: rows.filter(({ decision }) => !MEANT.has(decision)).length,
    untold: await count(`select 1 from githost_delivery where via <> 'delivery'`),
    heads: await wrongHeads(here, rows, sent),
    deployedTwice: await count(
      `select project_id, seq from githost_delivery where decision = 'deployed' group by 1, 2 having count(distinct deployment_id) > 1`,
    ),
    deployments: await count(`select 1 from deployment where trigger = 'push'`),
    seen: Number(links[0].relay_seen),
    relayed: Number(relayed[0].relayed),
  }
  return { ...facts, taken: ascending(waits('taken')), decided: ascending(waits('decided')) }
}

/** A head is right at its newest commit, when each of its moves is that of some delivery, and none was counted without one. */
async function wrongHeads(pool: TestDatabase['pool'], rows: Row[], sent: Sent[]): Promise<number> {
  const newest = new Map(sent.map(({ repoId, after }) => [repoId, after]))
  const moves = Map.groupBy(rows, ({ repo_id }) => Number(repo_id))
  const { rows: heads } = await pool.query<{ repo_id: string; sha: string; seq: string }>(
    'select repo_id, sha, seq from githost_head',
  )
  const right = heads.filter(({ repo_id, sha, seq }) => {
    const told = new Set((moves.get(Number(repo_id)) ?? []).map((row) => row.seq))
    return newest.get(Number(repo_id)) === sha && !told.has(null) && told.size === Number(seq) - 1
  })
  return newest.size - right.length
}
