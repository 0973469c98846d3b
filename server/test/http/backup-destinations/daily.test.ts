import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { reverifyDue } from '../../../src/core/backups/reverify.ts'
import { storageFailure } from '../../../src/drivers/storage/storage.ts'
import { create, newName, PATH, s3, sftp } from './destinations.ts'
import { asking, fakeStorage } from './fake-storage.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { preflight, show } = asking(org)
const fake = fakeStorage(world)
const { asked } = fake
const KEY = `ssh-ed25519 SHA256:${'K'.repeat(43)}`

describe('once a day, in the background', () => {
  const { db } = world.platform
  const due = (id: string) =>
    db
      .updateTable('backupDestination')
      .set({ nextVerifyAt: new Date(Date.now() - 1000) })
      .where('id', '=', id)
      .execute()
  const nextOf = async (id: string) =>
    (
      await db.selectFrom('backupDestination').select('nextVerifyAt').where('id', '=', id).executeTakeFirstOrThrow()
    ).nextVerifyAt?.getTime() ?? null
  const run = () => reverifyDue(world.platform, new AbortController().signal)

  test('each at another moment of the next day', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await create(org, s3())).id))
    await Promise.all(ids.map(preflight))
    const moments = await Promise.all(ids.map(nextOf))
    const hours = moments.map((moment) => ((moment ?? 0) - Date.now()) / 3600_000)
    for (const hour of hours) expect(hour).toSatisfy((one: number) => one > 21 && one < 27)
    expect(new Set(moments).size).toBe(5)
  })

  test('the day it broke is kept, and mended is mended', async () => {
    const { id } = await create(org, s3())
    await preflight(id)
    fake.wrong = { put: () => Promise.reject(storageFailure('full', 'No space.')) }
    await due(id)
    await run()
    const broken = await show(id)
    expect(broken).toMatchObject({ lastVerifyError: expect.stringMatching(/^write: No space/) })
    await due(id)
    await run()
    expect((await show(id)).brokenSince).toBe(broken.brokenSince)
    fake.wrong = {}
    await due(id)
    await run()
    expect(await show(id)).toMatchObject({ brokenSince: null, lastVerifyError: null })
    const { rows } = await world.platform.pool.query(
      `select action, actor_kind from audit where target = $1 and actor_kind = 'system' order by id`,
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['backup_destination.broke', 'backup_destination.mended'])
  })

  test('a hundred that are due are all looked at, once each, by four processes', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, async () => (await create(org, s3())).id))
    for (const id of ids) await due(id)
    asked.length = 0
    await Promise.all([run(), run(), run(), run()])
    expect(asked.filter((one) => one === 'put')).toHaveLength(100)
  })

  test('of a batch that another process has taken part of, we take the rest, and go on with the next', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, async () => (await create(org, s3())).id))
    for (const id of ids) await due(id)
    const other = await world.platform.pool.connect()
    await other.query('begin')
    await other.query(`select id from backup_destination where id = any($1) for update`, [ids.slice(0, 16)])
    asked.length = 0
    await run()
    expect(asked.filter((one) => one === 'put')).toHaveLength(84)
    await other.query('rollback')
    other.release()
    await run()
    expect(asked.filter((one) => one === 'put')).toHaveLength(100)
  })

  test('also one that nobody has tried, within the hour, and after each change of the way there', async () => {
    const minutes = async (id: string) => ((await nextOf(id)) ?? Number.NaN) / 60_000 - Date.now() / 60_000
    const soon = (one: number) => one > 3 && one < 61
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await create(org, s3())).id))
    const first = await Promise.all(ids.map(minutes))
    for (const one of first) expect(one).toSatisfy(soon)
    expect(new Set(first.map((one) => one.toFixed(3))).size).toBe(5)
    const id = ids[0] as string
    await preflight(id)
    await api('PATCH', `${PATH}/${id}`, { name: newName() })
    expect(await minutes(id)).toBeGreaterThan(61)
    await api('PATCH', `${PATH}/${id}`, { secretAccessKey: 'another' })
    expect(await minutes(id)).toSatisfy(soon)
    await due(id)
    await run()
    expect(await show(id)).toMatchObject({ lastVerifiedAt: expect.any(String) })
    expect(await minutes(id)).toBeGreaterThan(61)
  })

  test('an SFTP server without a pinned key is left alone until someone confirms it', async () => {
    const { id } = await create(org, sftp())
    fake.wrong = { open: () => Promise.reject(storageFailure('unreachable', 'No.')) }
    await preflight(id)
    fake.wrong = { hostKey: KEY }
    asked.length = 0
    await due(id)
    await run()
    expect([asked, (await show(id)).hostKey]).toEqual([[], null])
    await api('PATCH', `${PATH}/${id}`, { hostKey: KEY })
    await due(id)
    await run()
    expect(asked).toContain('put')
    expect(await show(id)).toMatchObject({ hostKey: KEY, lastVerifiedAt: expect.any(String) })
  })

  test('what is due is found by its index, however many there are', async () => {
    const { pool } = world.platform
    const query = `select id from backup_destination where (kind <> 'sftp' or host_key is not null)
      and next_verify_at <= now() order by next_verify_at limit 32 for update skip locked`
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('set local enable_seqscan = off; set local enable_sort = off')
      const { rows } = await client.query(`explain ${query}`)
      expect(JSON.stringify(rows)).toContain('backup_destination_due')
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})
