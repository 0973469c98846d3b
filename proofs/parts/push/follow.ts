import type { GitHost } from '../../../lab/githost/start.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { type Connection, mirror } from './connect.ts'

export type Stage = { site: Site; host: GitHost; connection: Connection; serverId: string }
export type Followed = { id: number; owner: string; name: string; full: string; projectId: string }

/** Repositories with a project each, whose heads are known. */
export async function follow(
  stage: Stage,
  prefix: string,
  count: number,
  files: Record<string, string>,
): Promise<Followed[]> {
  const { site, host, connection, serverId } = stage
  const { db, pool } = site.database as TestDatabase
  const all: Followed[] = []
  for (let n = 0; n < count; n++) {
    const [name, full] = [`${prefix}${n}`, `acme/${prefix}${n}`]
    const { id } = await host.do.repo({ full, private: true, files })
    const more = { repository: `${host.url}/${full}.git`, serverId, settings: { bakeSeconds: 0 } }
    all.push({ id, owner: 'acme', name, full, projectId: await site.project(name, more) })
  }
  await mirror({ db }, { orgId: site.orgId, linkId: connection.linkId }, all)
  for (const { id, projectId } of all)
    await db.updateTable('project').set({ githostRepoId: id }).where('id', '=', projectId).execute()
  const ids = all.map(({ projectId }) => projectId)
  await until('every project follows its branch', 120_000, async () => {
    const { rows } = await pool.query('select 1 from project where id = any($1) and head_ref is null limit 1', [ids])
    return rows.length === 0
  })
  return all
}
