import { beforeAll, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import * as destinations from '../../src/core/backups/store.ts'
import { dueProjects } from '../../src/core/deployments/converge/settle-store.ts'
import { releasesToWatch } from '../../src/core/deployments/watch/watch-store.ts'
import * as certificates from '../../src/core/domains/certificates/store.ts'
import { fairShare } from '../../src/core/fair-share.ts'

// What recurs takes a bounded number of rows each time: here one organization has filled all of it, long before the other.
const MANY = 700
const world = await startWorld()
const { db, pool } = world.platform
const [loud, quiet] = [await world.org('Loud'), await world.org('Quiet')]

/** Projects with a deployment that is watched and left open, a name and a destination, all due since then. */
async function fill(orgId: string, count: number, since: string): Promise<void> {
  const rows = 'from generate_series(1, $2::int) n where $3::timestamptz is not null'
  for (const insert of [
    `insert into server (id, org_id, name, kind) select 'srv_' || $1, $1, 'there', 'ssh' ${rows} and n = 1`,
    `insert into project (id, org_id, name) select 'prj_' || $1 || n, $1, 'p' || n ${rows}`,
    `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by,
       bake_until, settle_after)
     select 'dep_' || $1 || n, $1, 'prj_' || $1 || n, 'srv_' || $1, 1, 'failed', 'manual', '{}', '{}', '{}', $3::timestamptz,
       $3::timestamptz ${rows}`,
    `insert into host_name (host, org_id, project_id, kind)
     select n || '.' || $1, $1, 'prj_' || $1 || n, 'custom' ${rows}`,
    `insert into certificate (id, org_id, project_id, host, look_at)
     select 'crt_' || $1 || n, $1, 'prj_' || $1 || n, n || '.' || $1, $3::timestamptz ${rows}`,
    `insert into backup_destination (id, org_id, name, name_key, kind, next_verify_at)
     select 'dst_' || $1 || n, $1, 'd' || n, 'd' || n, 's3_compatible', $3::timestamptz ${rows}`,
  ])
    await pool.query(insert.replaceAll('$1', '$1::text'), [orgId, count, since])
}

beforeAll(async () => {
  await fill(loud.id, MANY, '2026-01-01')
  await fill(quiet.id, 2, '2026-01-02')
})

test.each<[string, (most: number, except: string[]) => Promise<{ orgId: string }[]>]>([
  ['releases that are watched', (most, except) => releasesToWatch(db, most, except)],
  ['projects that are settled', (most, except) => dueProjects(db, most, except)],
  ['destinations that are looked at', (most, except) => destinations.due(db, most, except)],
  ['names that are looked at', (most, except) => certificates.due(db, most, except)],
])('of the %s in one round, some are those of whoever came after many of another organization', async (_, fetch) => {
  const round = await fairShare({ most: 100, share: 10 }, fetch)
  expect(round).toHaveLength(100)
  expect(round.filter(({ orgId }) => orgId === quiet.id)).toHaveLength(2)
  expect(round.slice(0, 4).filter(({ orgId }) => orgId === quiet.id)).toHaveLength(2)
})
