import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { announce, blobRows, file, onDisk, put, SESSIONS, seal, sendEntries, shaOf, show, upload } from './folder.ts'

/** A credential of one project gets no content of the organization by its hash: it sends the bytes, or has sent them. */
const world = await startWorld()
const SECRET = 'DATABASE_URL=postgres://the-other-projects'

const setUp = async () => {
  const org = await world.org()
  const [one, two] = [
    (await org.owner.api('POST', '/api/projects', { name: 'one' })).body,
    (await org.owner.api('POST', '/api/projects', { name: 'two' })).body,
  ]
  const of = async (projectId: string) => world.as(await world.tokenFor(org.owner, { projectId }))
  return { org, one: await of(one.id), two: await of(two.id), projectId: one.id }
}

test('knowing the hash and size of a content of another project is not having it', async () => {
  const { org, one, two } = await setUp()
  await upload(org.owner.api, { '.env': SECRET })
  await upload(two, { other: 'of the second project' })
  for (const content of [SECRET, 'of the second project']) {
    const announced = await announce(one, [file('stolen', content)])
    expect(announced.body.missing).toEqual([shaOf(content)])
    const id = announced.body.uploadSessionId
    expect((await show(one, id)).body.missing).toEqual([shaOf(content)])
    const sealed = await seal(one, id)
    expect([sealed.status, sealed.body.code]).toEqual([409, 'blobs_missing'])
    const wrong = await one('PUT', `${SESSIONS}/${id}/blobs/${shaOf(content)}`, Buffer.alloc(content.length), {
      'content-type': 'application/octet-stream',
    })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'hash_mismatch'])
    expect((await seal(one, id)).status).toBe(409)
  }
})

test('sending the bytes proves it, the answer does not tell that they were here, and nothing is stored twice', async () => {
  const { org, one } = await setUp()
  await upload(org.owner.api, { a: SECRET })
  const before = [await blobRows(world, org.id), await onDisk(world)]
  const fresh = await announce(one, [file('new', 'new bytes'), file('a', SECRET)])
  const id = fresh.body.uploadSessionId
  const answers = [await put(one, id, 'new bytes'), await put(one, id, SECRET)]
  expect(answers.map(({ body }) => body.stored)).toEqual([true, true])
  expect((await seal(one, id)).status).toBe(200)
  expect((await blobRows(world, org.id)).length).toBe((before[0]?.length ?? 0) + 1)
  expect((await onDisk(world)).length).toBe((before[1]?.length ?? 0) + 1)
})

test('what the project has sent need not be sent again, by contents or as an archive', async () => {
  const { one } = await setUp()
  await upload(one, { a: 'first' })
  expect((await sendEntries(one, [{ name: 'b', content: 'second' }])).status).toBe(201)
  const again = await announce(one, [file('a', 'first'), file('b', 'second')])
  expect(again.body.missing).toEqual([])
  expect((await seal(one, again.body.uploadSessionId)).status).toBe(200)
})

test('a credential of the organization goes on with whatever the organization has', async () => {
  const { org, one } = await setUp()
  await upload(one, { a: 'of a project' })
  const announced = await announce(org.owner.api, [file('a', 'of a project')])
  expect(announced.body.missing).toEqual([])
  expect((await seal(org.owner.api, announced.body.uploadSessionId)).status).toBe(200)
})

test('a project that is deleted forgets what it had, and the contents stay', async () => {
  const { org, one, projectId } = await setUp()
  await upload(one, { a: 'kept' })
  const rows = await blobRows(world, org.id)
  expect((await org.owner.api('DELETE', `/api/projects/${projectId}`)).status).toBe(200)
  expect(await blobRows(world, org.id)).toEqual(rows)
  const { rowCount } = await world.platform.pool.query('select 1 from blob_project where project_id = $1', [projectId])
  expect(rowCount).toBe(0)
})
