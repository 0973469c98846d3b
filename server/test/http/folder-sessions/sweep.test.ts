import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sweepOrphans, sweepUploads } from '../../../src/core/uploads/sweep.ts'
import { deleteUnused, findUnused } from '../../../src/core/uploads/sweep-store.ts'
import { openTree } from '../../../src/core/uploads/tree.ts'
import { announce, blobRows, file, onDisk, put, sendEntries, shaOf, show, upload } from './folder.ts'

const world = await startWorld()
const { platform } = world
const { pool } = platform

/** Moves an organization's whole upload history into the past. */
async function age(orgId: string, hours: number) {
  await pool.query(`update blob set touched_at = touched_at - make_interval(hours => $2) where org_id = $1`, [
    orgId,
    hours,
  ])
  await pool.query(`update folder_session set expires_at = expires_at - make_interval(hours => $2) where org_id = $1`, [
    orgId,
    hours,
  ])
  await pool.query(`update blob_sweep set due_at = due_at - make_interval(hours => $2) where org_id = $1`, [
    orgId,
    hours,
  ])
}

const begin = async (org: Awaited<ReturnType<typeof world.org>>, ...contents: string[]): Promise<string> => {
  const made = await announce(
    org.owner.api,
    contents.map((content, i) => file(`f${i}`, content)),
  )
  for (const content of contents) await put(org.owner.api, made.body.uploadSessionId, content)
  return made.body.uploadSessionId
}

test('contents of an expired session go, those that a living session names stay', async () => {
  const org = await world.org()
  const expired = await begin(org, 'gone', 'shared')
  await age(org.id, 26)
  const kept = await upload(org.owner.api, { a: 'shared', b: 'kept' })
  await age(org.id, 2)
  const swept = await sweepUploads(platform)
  expect(swept).toEqual({ sessions: 1, blobs: 1 })
  expect((await show(org.owner.api, expired)).status).toBe(404)
  expect(
    (
      await announce(
        org.owner.api,
        ['gone', 'shared', 'kept'].map((c) => file(c, c)),
      )
    ).body.missing,
  ).toEqual([shaOf('gone')])
  expect((await onDisk(world)).filter((path) => path.startsWith(org.id)).sort()).toEqual(
    (await blobRows(world, org.id)).sort(),
  )
  const tree = await openTree(platform, org.id, kept)
  for (const entry of tree.entries) if (entry.kind === 'file') await (await tree.read(entry)).toArray()
})

test('an expired session still says so for an hour', async () => {
  const org = await world.org()
  const id = await begin(org, 'just expired')
  await age(org.id, 24)
  await sweepUploads(platform)
  expect((await put(org.owner.api, id, 'just expired')).body.code).toBe('session_expired')
})

test('a sealed session outlives a day and goes after thirty', async () => {
  const org = await world.org()
  const id = await upload(org.owner.api, { a: 'sealed' })
  await age(org.id, 29 * 24)
  await sweepUploads(platform)
  expect((await show(org.owner.api, id)).body.state).toBe('sealed')
  expect(await blobRows(world, org.id)).toHaveLength(1)
  await age(org.id, 26)
  await sweepUploads(platform)
  expect((await show(org.owner.api, id)).status).toBe(404)
  expect(await blobRows(world, org.id)).toHaveLength(0)
})

test('what was used within the last hour stays, and is looked at again', async () => {
  const org = await world.org()
  await begin(org, 'fresh')
  await pool.query('delete from folder_session where org_id = $1', [org.id])
  await pool.query('update blob_sweep set due_at = now() where org_id = $1', [org.id])
  expect((await sweepUploads(platform)).blobs).toBe(0)
  await age(org.id, 2)
  expect((await sweepUploads(platform)).blobs).toBe(1)
})

test('contents that lost their session in another way, such as with a project, go within a day', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: 'of a project' })
  await pool.query('delete from folder_session where org_id = $1', [org.id])
  await age(org.id, 25)
  expect((await sweepUploads(platform)).blobs).toBe(1)
})

test('a content that a session announces while a sweep is under way is never deleted', async () => {
  const org = await world.org()
  const contents = Array.from({ length: 200 }, (_, i) => `racing ${i}`)
  for (let round = 0; round < 5; round++) {
    await sendEntries(
      org.owner.api,
      contents.map((content, i) => ({ name: `f${i}`, content })),
    )
    await pool.query('delete from folder_session where org_id = $1', [org.id])
    await age(org.id, 25)
    const files = contents.map((content, i) => file(`f${i}`, content))
    const [made] = await Promise.all([
      announce(org.owner.api, files),
      sweepUploads(platform),
      announce(org.owner.api, files.toReversed()),
      sweepUploads(platform),
    ])
    const missing = new Set<string>(made.body.missing)
    expect((await show(org.owner.api, made.body.uploadSessionId)).body.missing.sort()).toEqual([...missing].sort())
    for (const content of contents)
      if (missing.has(shaOf(content))) await put(org.owner.api, made.body.uploadSessionId, content)
    const stored = await platform.db.selectFrom('blob').select('location').where('orgId', '=', org.id).execute()
    expect(stored).toHaveLength(200)
    for (const { location } of stored)
      expect(await platform.blobs.read(location).then((c) => c?.destroy())).toBeTruthy()
  }
})

test('a session that is created after the search and before the deletion keeps its contents', async () => {
  const org = await world.org()
  await begin(org, 'in between')
  await pool.query('delete from folder_session where org_id = $1', [org.id])
  await age(org.id, 25)
  const unused = await findUnused(platform.db, org.id, 10)
  expect(unused).toMatchObject([{ ripe: true }])
  expect((await announce(org.owner.api, [file('a', 'in between')])).body.missing).toEqual([])
  const [found] = unused
  expect(
    await deleteUnused(platform.db, org.id, [found?.sha256 ?? Buffer.alloc(0)], found?.cutoff ?? new Date()),
  ).toEqual([])
})

test('a sweep that died after the rows left files, which go after a day; younger ones and known ones stay', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: 'known' })
  const [known = ''] = await blobRows(world, org.id)
  const write = (text: string) => platform.blobs.write(org.id, Readable.from([Buffer.from(text)]), { maxBytes: 100 })
  const old = await write('orphan')
  const young = await write('on its way')
  for (const location of [known, old.location]) {
    await utimes(join(world.dataDir, 'blobs', location), 1, Date.now() / 1000 - 25 * 3600)
  }
  expect(await sweepOrphans(platform)).toBe(1)
  const left = (await onDisk(world)).filter((path) => path.startsWith(org.id))
  expect(left.sort()).toEqual([known, young.location].sort())
})

test('a sweep that is told to stop leaves the rest for the next', async () => {
  const org = await world.org()
  await begin(org, 'later')
  await age(org.id, 26)
  const stopped = new AbortController()
  stopped.abort()
  expect(await sweepUploads(platform, stopped.signal)).toEqual({ sessions: 0, blobs: 0 })
  expect((await sweepUploads(platform)).sessions).toBe(1)
})

test('finding what is unused stays quick when sessions have very many files', async () => {
  const org = await world.org()
  await pool.query(
    `with f as (select jsonb_agg(jsonb_build_object('p', 'f' || n, 'h', encode(sha256(n::text::bytea), 'hex'), 's', 1)) files
       from generate_series(1, 20000) n)
     insert into folder_session (id, org_id, files, file_count, byte_count, expires_at)
     select 'upl_many' || n, $1, files, 20000, 20000, now() + interval '1 day' from f, generate_series(1, 4) n`,
    [org.id],
  )
  await pool.query(
    `insert into blob (org_id, sha256, size, location) select $1, sha256(n::text::bytea), 1, 'many' || n
     from generate_series(1, 20001) n`,
    [org.id],
  )
  const began = performance.now()
  expect(await findUnused(platform.db, org.id, 10)).toHaveLength(1)
  expect(performance.now() - began).toBeLessThan(20_000)
  await pool.query('delete from blob where org_id = $1', [org.id])
})
