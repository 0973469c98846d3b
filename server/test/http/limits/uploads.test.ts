import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { sweepUploads } from '../../../src/core/uploads/sweep.ts'
import {
  announce,
  blobRows,
  file,
  onDisk,
  put,
  SESSIONS,
  sendEntries,
  shaOf,
  tarOf,
  upload,
} from '../folder-sessions/folder.ts'
import { giveLimits, limited, shownLimit, statuses } from './stage.ts'

const world = await startWorld(limited({ uploadBytes: 3000 }))
const kib = (letter: string) => letter.repeat(1000)

const begin = async ({ owner }: Org, ...contents: string[]): Promise<string> => {
  const files = contents.map((content, i) => file(`f${i}`, content))
  return (await announce(owner.api, files)).body.uploadSessionId
}
const putAll = async ({ owner }: Org, id: string, contents: string[]) => {
  const tar = gzipSync(await tarOf(contents.map((content) => ({ name: shaOf(content), content }))))
  return owner.api('POST', `${SESSIONS}/${id}/blobs`, tar, { 'content-type': 'application/gzip' })
}

test('a folder is refused as it is announced where its new contents are more than there is room for', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: kib('a'), b: kib('b') })
  const refused = await announce(org.owner.api, [file('c', kib('c')), file('d', 'd')])
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({
    code: 'limit_reached',
    error: 'The organization has uploaded 1.95 KiB of the 2.93 KiB that it may keep here, and this is more.',
    hint: expect.stringContaining('ask whoever runs this instance'),
    limit: 'uploadBytes',
    most: 3000,
    used: 2000,
  })
  expect((await announce(org.owner.api, [file('c', kib('c'))])).status).toBe(201)
})

test('contents that the organization has count for nothing, however often they are sent', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: kib('a'), b: kib('b'), c: kib('c') })
  await upload(org.owner.api, { x: kib('a'), y: kib('b'), z: kib('c') })
  const again = await sendEntries(org.owner.api, [
    { name: 'one', content: kib('a') },
    { name: 'two', content: kib('a') },
    { name: 'three', content: kib('b') },
  ])
  expect(again.status).toBe(201)
  expect(await shownLimit(org, 'uploadBytes')).toMatchObject({ used: 3000, most: 3000, unit: 'bytes' })
})

test('of sessions that announced the same room one fills it: the others are refused and leave nothing behind', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: kib('a'), b: kib('b') })
  const before = (await onDisk(world)).length
  const contents = ['c', 'd', 'e', 'f'].map(kib)
  const sessions = await Promise.all(contents.map((content) => begin(org, content)))
  const sent = contents.map((content, n) => {
    const id = sessions[n] ?? ''
    return n < 2 ? put(org.owner.api, id, content) : putAll(org, id, [content])
  })
  expect(statuses(await Promise.all(sent))).toEqual([200, 403, 403, 403])
  expect(await shownLimit(org, 'uploadBytes')).toMatchObject({ used: 3000 })
  expect((await onDisk(world)).length).toBe(before + 1)
})

test('of archives that come for the same room at once one is taken, and the others leave nothing behind', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: kib('a') })
  const before = (await onDisk(world)).length
  const archives = ['g', 'h', 'i'].map((letter) =>
    sendEntries(org.owner.api, [
      { name: 'new', content: letter.repeat(1500) },
      { name: 'known', content: kib('a') },
    ]),
  )
  const answers = await Promise.all(archives)
  expect(statuses(answers)).toEqual([201, 403, 403])
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ limit: 'uploadBytes', most: 3000 })
  expect((await onDisk(world)).length).toBe(before + 1)
  expect(await blobRows(world, org.id)).toHaveLength(2)
})

test('a credential of one project is not told by a refusal what the organization has', async () => {
  const org = await world.org()
  await upload(org.owner.api, { a: kib('a'), b: kib('b'), c: kib('c') })
  const { body } = await org.owner.api('POST', '/api/projects', { name: 'one' })
  const api = world.as(await world.tokenFor(org.owner, { projectId: body.id }))
  const tried = async (content: string) => [
    await announce(api, [file('a', content)]),
    await sendEntries(api, [{ name: 'a', content }]),
  ]
  const [known, unknown] = [await tried(kib('a')), await tried(kib('n'))]
  expect(statuses([...known, ...unknown])).toEqual([403, 403, 403, 403])
  const told = (answers: typeof known) => answers.map(({ body }) => [body.error, body.used])
  expect(told(known)).toEqual(told(unknown))
})

test('what is swept frees its room; another organization, and one with a limit of its own, have theirs', async () => {
  const [org, other, more] = [await world.org(), await world.org(), await world.org()]
  await giveLimits(world, more, { uploadBytes: 4000 })
  for (const { owner } of [org, other, more]) await upload(owner.api, { a: kib('a'), b: kib('b'), c: kib('c') })
  const status = async ({ owner }: Org) => (await announce(owner.api, [file('d', kib('d'))])).status
  expect([await status(org), await status(other), await status(more)]).toEqual([403, 403, 201])
  const { pool } = world.platform
  await pool.query(`update folder_session set expires_at = now() - interval '2 hours' where org_id = $1`, [org.id])
  await pool.query(`update blob set touched_at = now() - interval '2 hours' where org_id = $1`, [org.id])
  await sweepUploads(world.platform)
  expect([await status(org), await status(other)]).toEqual([201, 403])
})

test('what is counted as uploaded is what there is, however it came and went, and however much of it at once', async () => {
  const [org, other] = [await world.org(), await world.org()]
  await giveLimits(world, org, { uploadBytes: 1_000_000 })
  const { pool } = world.platform
  const text = `select (select coalesce(sum(size), 0) from blob where org_id = $1)::int as there,
    (select coalesce(sum(bytes), 0) from organization_upload where org_id = $1)::int as counted`
  const expectSame = async (bytes: number) =>
    expect((await pool.query(text, [org.id])).rows).toEqual([{ there: bytes, counted: bytes }])
  const contents = Array.from({ length: 24 }, (_, n) => `${n} `.padEnd(100 + n, 'x'))
  const all = contents.reduce((sum, one) => sum + one.length, 0)
  const sessions = await Promise.all([1, 2, 3].map(() => begin(org, ...contents)))
  await Promise.all(
    sessions.flatMap((id) => [...contents.map((one) => put(org.owner.api, id, one)), putAll(org, id, contents)]),
  )
  await expectSame(all)
  await upload(other.owner.api, { a: kib('a') })
  await pool.query('delete from folder_session where org_id = $1', [org.id])
  await pool.query(`update blob set touched_at = now() - interval '2 hours' where org_id = $1 and size < 110`, [org.id])
  await pool.query('update blob_sweep set due_at = now()')
  await Promise.all([sweepUploads(world.platform), sweepUploads(world.platform)])
  const left = contents.filter((one) => one.length >= 110).reduce((sum, one) => sum + one.length, 0)
  await expectSame(left)
  await pool.query('delete from blob where org_id in ($1, $2)', [org.id, other.id])
  await expectSame(0)
  await begin(org, ...contents)
  await putAll(org, await begin(org, ...contents), contents)
  // An organization goes with all of it.
  await pool.query('alter table audit disable trigger user')
  await pool.query('delete from audit where org_id = $1', [org.id])
  await pool.query('alter table audit enable trigger user')
  await pool.query('delete from organization where id = $1', [org.id])
  await expectSame(0)
})
