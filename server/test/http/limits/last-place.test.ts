import { randomBytes } from 'node:crypto'
import type { LimitKind } from '@slipway/contract/limits'
import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import * as deployments from '../../../src/core/deployments/rows/store.ts'
import { requireRoom } from '../../../src/core/limits/require-room.ts'
import { insert as insertMember } from '../../../src/core/members/store.ts'
import { insert as insertProject } from '../../../src/core/projects/store.ts'
import { insertAll } from '../../../src/core/uploads/blobs-store.ts'
import { type Tx, transaction } from '../../../src/db/database.ts'
import { newId } from '../../../src/db/ids.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { limited } from './stage.ts'

const world = await startWorld(limited({ projects: 1, members: 2, memoryBytes: 1, uploadBytes: 1 }))
const { db, pool } = world.platform

/** Prepares to write one of a kind. */
const MAKE: Record<string, (org: Org) => Promise<(tx: Tx) => Promise<unknown>>> = {
  projects: async ({ id: orgId }) => {
    const id = newId('prj')
    return (tx) => insertProject(tx, { id, orgId, name: id, repository: null, settings: '{}' } as never)
  },
  members: async ({ id: orgId }) => {
    const { userId } = await world.person((await world.org()).id, 'viewer')
    return (tx) => insertMember(tx, { orgId, userId, role: 'viewer' })
  },
  memoryBytes: async (org) => {
    const id = newId('prj')
    await insertProject(db, { id, orgId: org.id, name: id, repository: null, settings: '{}' } as never)
    const other = await world.org()
    const made = await makeDeployment(world, other)
    await pool.query('update deployment set org_id = $2, project_id = $3 where id = $1', [made.id, org.id, id])
    return (tx) => deployments.update(tx, made.id, { memoryBytes: 1 })
  },
  uploadBytes: async ({ id: orgId }) => {
    const blob = { sha256: randomBytes(32).toString('hex'), size: 1, location: newId('upl') }
    return (tx) => insertAll(tx, { orgId, projectId: null }, [blob])
  },
}

const waiting = async () =>
  (
    await pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`)
  ).rowCount

test.each(Object.keys(MAKE) as LimitKind[])(
  'who comes for the last of %s waits for whoever came before, and is refused when they have it',
  async (kind) => {
    const org = await world.org()
    const take = async (wait: () => Promise<void>) => {
      const make = await MAKE[kind]?.(org)
      return transaction(db, async (tx) => {
        await make?.(tx)
        await requireRoom(world.platform, tx, org.id, kind, { made: 1 })
        await wait()
      })
    }
    const inside = Promise.withResolvers<void>()
    const leave = Promise.withResolvers<void>()
    const first = take(() => {
      inside.resolve()
      return leave.promise
    })
    await Promise.race([inside.promise, first])
    const second = take(async () => {}).catch((error) => error)
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
    leave.resolve()
    await first
    expect(await second).toMatchObject({ code: 'limit_reached', details: { limit: { kind } } })
  },
)

test('whoever gives up its transaction leaves the last place to the next', async () => {
  const org = await world.org()
  const take = async (end: () => void) => {
    const make = await MAKE.projects?.(org)
    return transaction(db, async (tx) => {
      await make?.(tx)
      await requireRoom(world.platform, tx, org.id, 'projects', { made: 1 })
      end()
    })
  }
  const given = take(() => {
    throw new Error('something else went wrong')
  })
  await expect(given).rejects.toThrow('something else')
  await take(() => {})
})
