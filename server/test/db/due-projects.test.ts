import { expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { dueProjects, writeSettled } from '../../src/core/deployments/converge/settle-store.ts'
import { newId } from '../../src/db/ids.ts'

const world = await startWorld()
const { db, pool } = world.platform
const { id: orgId } = await world.org('Left')
await pool.query(`insert into server (id, org_id, name, kind) values ('srv_left', $1, 'there', 'ssh')`, [orgId])

/** A project with a deployment that left something open, and runs of those kinds and states in its lane. */
async function project(runs: { kind: string; status: string }[]): Promise<string> {
  const id = newId('prj')
  await pool.query('insert into project (id, org_id, name) values ($1, $2, $3)', [id, orgId, id])
  await pool.query(
    `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by, settle_after)
     values ($1, $2, $3, 'srv_left', 1, 'failed', 'manual', '{}', '{}', '{}', now())`,
    [newId('dep'), orgId, id],
  )
  for (const { kind, status } of runs) {
    await pool.query(
      `insert into run (id, org_id, lane, kind, version, input, status) values ($1, $2, $3, $4, 1, '{}', $5)`,
      [newId('run'), orgId, id, kind, status],
    )
  }
  return id
}

test('a project that deploys all the time is due as well, unless somebody sees to it or a decision is awaited', async () => {
  const deploy = (status: string) => ({ kind: 'deploy', status })
  const due = [await project([]), await project([deploy('running'), deploy('queued')])]
  await project([deploy('running'), { kind: 'settle', status: 'queued' }])
  await project([{ kind: 'settle', status: 'running' }, deploy('queued')])
  await project([deploy('parked'), deploy('queued')])
  const found = await dueProjects(db, 100, [])
  expect(found.map(({ projectId }) => projectId).toSorted()).toEqual(due.toSorted())
})

test('what still ends is looked at again after ten seconds, and after five minutes once a minute', async () => {
  const after = async (finished: string) => {
    const id = await project([])
    await pool.query('update deployment set finished_at = now() - $2::interval where project_id = $1', [id, finished])
    await writeSettled(db, id, { after: 'removed', again: true })
    const asked =
      'select round(extract(epoch from settle_after - now()))::int as seconds from deployment where project_id = $1'
    return (await pool.query(asked, [id])).rows[0].seconds
  }
  expect(await after('1 minute')).toBe(10)
  expect(await after('6 minutes')).toBe(60)
})
